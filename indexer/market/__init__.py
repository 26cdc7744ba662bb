"""Market verification: visits the pages of products and vendors and decides by rules whether they still exist."""
