"""Reports about synonym rules and pins."""

from collections.abc import Iterable, Sequence

from pydantic import Field

from akg.reports.evaluation import ComparisonReport, HitRow
from akg.reports.report import ProblemRow, Report
from schema.pins import Pin
from schema.synonyms import SynonymRule


class RuleRow(Report):
    """One synonym rule or pin."""

    file: str = Field(description="Name of its file.")
    line: int = Field(description="Number of its line, from 1.")
    rule: str = Field(description="The rule; of a pin, what it does, starting with `pin`.")


def rule_rows(rules: Iterable[SynonymRule | Pin]) -> list[RuleRow]:
    """Return the rules and pins as rows."""
    return [RuleRow(file=rule.file, line=rule.line, rule=rule.text) for rule in rules]


class SynonymsLint(Report):
    """`akg synonyms lint`."""

    rules: int = Field(description="Number of rules that can be read.")
    pins: int = Field(description="Number of pins that can be read.")
    errors: Sequence[ProblemRow] = Field(description="Problems that stop a build; the exit code is 1 if there are any.")
    warnings: Sequence[ProblemRow] = Field(description="What an editor should check.")


class SynonymsPreview(Report):
    """`akg synonyms preview`."""

    data_version: str = Field(description="Version of the tables of the live release.")
    before: str = Field(description="Version of the live rules.")
    after: str = Field(description="Version of the rules of the files; the same if they are live.")
    added: Sequence[RuleRow] = Field(description="Rules and pins that the files add.")
    removed: Sequence[RuleRow] = Field(description="Rules and pins that the files remove.")
    comparison: ComparisonReport | None = Field(description="Effect on queries; null if no rule changes.")


class SynonymsApply(Report):
    """`akg synonyms apply`, and `akg synonyms undo`."""

    published: bool = Field(description="Whether rules were published; false if they were live before.")
    live: str = Field(description="The release that is live now.")
    synonyms_version: str = Field(description="Version of its rules.")
    added: Sequence[RuleRow] = Field(description="Rules and pins that were added.")
    removed: Sequence[RuleRow] = Field(description="Rules and pins that were removed.")


class RuleEvent(Report):
    """A publication of rules."""

    at: str = Field(description="Its time, UTC.")
    what: str = Field(description="apply, undo, or published for a build.")
    synonyms_version: str = Field(description="Version of the rules.")
    release: str = Field(description="The release with these rules.")
    data_version: str = Field(description="Version of its tables.")
    added: int = Field(description="Number of added rules and pins; 0 for a build.")
    removed: int = Field(description="Number of removed rules and pins; 0 for a build.")


class SynonymsHistory(Report):
    """`akg synonyms history`."""

    live: str = Field(description="Version of the live rules.")
    events: Sequence[RuleEvent] = Field(description="Publications of rules, newest first.")


class SynonymsStatus(Report):
    """`akg synonyms status`."""

    release: str = Field(description="The live release.")
    live: str = Field(description="Version of the live rules.")
    live_rules: int = Field(description="Number of live rules.")
    live_pins: int = Field(description="Number of live pins.")
    files: str = Field(description="Version of the rules of the files.")
    file_rules: int = Field(description="Number of rules of the files.")
    file_pins: int = Field(description="Number of pins of the files.")
    added: Sequence[RuleRow] = Field(description="Rules and pins that the files add.")
    removed: Sequence[RuleRow] = Field(description="Rules and pins that the files remove.")
    problems: Sequence[ProblemRow] = Field(description="Lines that cannot be read.")
    events: Sequence[RuleEvent] = Field(description="Publications of rules, newest first.")


class RuleReading(Report):
    """How a query is read with one set of rules."""

    rules: str = Field(description="`live rules`, or `rules of the files` if they differ.")
    tokens: Sequence[str] = Field(description="Each sequence of tokens that it is searched as.")
    applied: Sequence[RuleRow] = Field(description="Rules that apply to the query.")


class SynonymsTry(Report):
    """`akg synonyms try`."""

    query: str = Field(description="The query.")
    tokens: Sequence[str] = Field(description="Each sequence of its tokens without rules.")
    readings: Sequence[RuleReading] = Field(description="How it is read with each set of rules.")
    corrected: str | None = Field(description="What it is corrected to; null if it is not corrected.")
    total: int = Field(description="Number of results, with the live rules.")
    results: Sequence[HitRow] = Field(description="The first five results.")
