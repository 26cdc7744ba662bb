"""Shapes of what commands print with `--json`, one pydantic model for each report. Names and types are stable."""
