"""Reports about the content tables and the findings about products and vendors."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import ProblemRow, Report


class ContentCheck(Report):
    """`akg content check`."""

    folder: str = Field(description="The content folder.")
    problems: Sequence[ProblemRow] = Field(description="Every problem; the exit code is 1 if there are any.")
    version: str | None = Field(description="Version of the tables; null if they have problems.")
    entities: dict[str, int] = Field(description="Number of entities, by type; empty if there are problems.")
    sources: int = Field(description="Number of sources.")
    aliases: int = Field(description="Number of aliases.")
    relations: int = Field(description="Number of rows that relate two entities.")
    redirects: int = Field(description="Number of retired ids.")


class GapRow(Report):
    """Entities that lack relations of one kind."""

    gap: str = Field(description="What they lack.")
    entities: Sequence[str] = Field(description="Their ids, all of them.")


class ContentStats(Report):
    """`akg content stats`."""

    entities: dict[str, int] = Field(description="Number of entities, by type.")
    rows: dict[str, int] = Field(description="Number of rows, by table.")
    gaps: Sequence[GapRow] = Field(description="Entities that lack relations.")


class MarketTypeRow(Report):
    """The findings about the entities of one type."""

    type: str = Field(description="Entity type: product or vendor.")
    entities: int = Field(description="Number of its entities.")
    statuses: dict[str, int] = Field(description="Number of findings about their present addresses, by status.")
    unchecked: int = Field(description="Number of entities without such a finding.")


class MarketStatus(Report):
    """`akg market status`."""

    types: Sequence[MarketTypeRow] = Field(description="The findings by type.")
    rules: dict[str, int] = Field(description="Number of findings, by the rule that decided.")
    oldest: str | None = Field(description="Day of the oldest finding; null if there is none.")
    newest: str | None = Field(description="Day of the newest finding; null if there is none.")
    stale: int = Field(description="Number of findings that a build of today would mark as too old.")
    stale_days: int = Field(description="Age from which a finding is too old, in days (AKG_MARKET_STALE_DAYS).")


class MarketVerify(Report):
    """`akg market verify`."""

    visited: int = Field(description="Number of pages that this run visited.")
    statuses: dict[str, int] = Field(description="Number of findings of this run, by status.")
    rules: dict[str, int] = Field(description="Number of findings of this run, by the rule that decided.")
