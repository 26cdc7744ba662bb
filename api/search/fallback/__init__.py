"""What else is tried where few hits were found: corrections, fewer words, words in common with the texts."""
