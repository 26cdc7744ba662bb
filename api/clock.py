"""The day that decides which pins apply."""

from datetime import UTC, date, datetime


def utc_date() -> date:
    """Return the day in UTC, which is the same on every machine."""
    return datetime.now(UTC).date()
