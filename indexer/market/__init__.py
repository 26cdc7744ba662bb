"""Market verification: is a product or vendor still there, by stated rules, asked politely of its own page."""
