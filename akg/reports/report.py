"""The base of the reports, and what several of them contain."""

import re

from pydantic import BaseModel, Field

PROBLEM = re.compile(r"(?P<file>.+?):(?P<line>\d+): (?P<message>.+)", re.DOTALL)


class Report(BaseModel, frozen=True):
    """Base of the reports: an object that may gain fields and loses none."""


class ProblemRow(Report):
    """A problem of a line of a file."""

    file: str = Field(description="Name of the file.")
    line: int = Field(description="Number of the line, from 1; 0 if the file as a whole has the problem.")
    message: str = Field(description="What is wrong, and what to do.")


def problem_row(text: str, folder: str = "") -> ProblemRow:
    """Return a problem in the form `file:line: message`, with a folder before the file."""
    found = PROBLEM.fullmatch(text)
    if found is None:
        return ProblemRow(file=folder, line=0, message=text)
    return ProblemRow(file=folder + found["file"], line=int(found["line"]), message=found["message"])
