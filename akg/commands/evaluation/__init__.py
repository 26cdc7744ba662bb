"""The subcommands of `akg eval`."""
