"""The base of every error whose text is meant for the operator."""


class AkgError(Exception):
    """An error that the operator can act on. The command line prints its text and exits with `exit_code`."""

    exit_code = 1
