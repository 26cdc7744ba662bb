"""The downloadable files of a release."""
