"""Reports about earlier runs of measurements."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


class EvalRun(Report):
    """One run of a measurement, as a line of the history stores it."""

    at: str = Field(description="When it ended, UTC.")
    command: str = Field(description="The command without `akg eval`.")
    alias: str = Field(description="`AKG_ALIAS`.")
    data_version: str = Field(description="Version of the tables of the live release.")
    synonyms_version: str = Field(description="Version of its rules.")
    code_version: str | None = Field(description="Commit of the checkout, or version of the program; null if unknown.")
    inputs: str | None = Field(
        description="Start of the SHA-256 of the judged table, or seed and number of typos; null for other commands."
    )
    scores: dict[str, int | float] = Field(description="Shares and scores as decimals, counts as integers.")


class EvalRunRow(EvalRun):
    """A run with the change of its figures."""

    changes: dict[str, int | float] = Field(
        description="Change of each figure since the run before of the same command with the same inputs."
    )


class EvalHistory(Report):
    """`akg eval history`."""

    runs: Sequence[EvalRunRow] = Field(description="The last runs of each command, the oldest first.")
    damaged: Sequence[int] = Field(description="Numbers of lines of the file that are not runs, from 1.")
