"""The explorer: pages for people, drawn on the server out of the answers that the API gives."""
