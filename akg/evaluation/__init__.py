"""Quality of search and recommendations."""
