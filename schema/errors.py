"""The base of every error whose text is meant for the operator, and the exit codes of the commands."""

REFUSED, WRONG_USAGE, ENGINE_UNUSABLE, LOCKED = 1, 2, 3, 4


class AkgError(Exception):
    """An error that the operator can act on. The command line prints its text and exits with `exit_code`."""

    exit_code = REFUSED


class UsageError(AkgError):
    """An option or argument is invalid, or names what does not exist."""

    exit_code = WRONG_USAGE
