"""What a question was read as: its parts, their roles, and what else they can mean."""
