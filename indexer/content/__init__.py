"""The content tables: reading and checking them."""
