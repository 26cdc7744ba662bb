"""The base of the reports."""

from pydantic import BaseModel


class Report(BaseModel, frozen=True):
    """Base of the reports: an object that may gain fields and loses none."""
