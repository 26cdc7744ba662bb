"""Reports about names, typos and judged cases."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


class NameCount(Report):
    """How many texts of one kind find their entity."""

    texts: int = Field(description="Number of texts.")
    first: int = Field(description="Number of texts whose entity is the first hit, or tied with one of the same name.")


class MissedName(Report):
    """A text whose entity is not the first hit."""

    entity: str = Field(description="Id of the entity.")
    kind: str = Field(description="id, slug, name or alias.")
    text: str = Field(description="The text.")


class EvalNames(Report):
    """`akg eval names`."""

    kinds: dict[str, NameCount] = Field(description="Counts of ids, slugs, names and aliases.")
    missed: Sequence[MissedName] = Field(description="Texts whose entity is not the first hit.")


class TypoShare(Report):
    """How many names with one kind of typo find their entity."""

    typo: str = Field(description="The kind of typo.")
    names: int = Field(description="Number of names in the sample.")
    share: float = Field(description="Share of the names that search finds.")
    minimum: float = Field(description="Smallest share that is accepted.")


class EvalTypos(Report):
    """`akg eval typos`."""

    typos: Sequence[TypoShare] = Field(description="Each kind of typo; a share below its minimum exits with 1.")


class LostSpelling(Report):
    """A name whose entity is among the first five hits in American spelling only."""

    entity: str = Field(description="Id of the entity.")
    american: str = Field(description="The name in American spelling.")
    british: str = Field(description="The name in British spelling.")


class EvalSpellings(Report):
    """`akg eval spellings`."""

    names: int = Field(description="Number of British spellings of names and aliases.")
    found: int = Field(description="Number of those whose American spelling has the entity among the first five hits.")
    share: float = Field(description="Share of `found` whose British spelling has it there, too.")
    minimum: float = Field(description="Smallest share that is accepted; below it the command exits with 1.")
    lost: Sequence[LostSpelling] = Field(description="Names whose British spelling does not have it there.")


class CaseCount(Report):
    """How many cases of one kind pass."""

    cases: int = Field(description="Number of cases.")
    passed: int = Field(description="Number of cases with a wanted result and no absurd one.")


class FailedCase(Report):
    """A case that does not pass."""

    kind: str = Field(description="Its kind.")
    case: str = Field(description="The question, or the body of the recommendation.")
    missing: Sequence[str] = Field(description="Groups of ids, joined by |, of which none is among the first results.")
    absurd: Sequence[str] = Field(description="Ids among the first ten that must not be there.")


class EvalScenarios(Report):
    """`akg eval scenarios`."""

    kinds: dict[str, CaseCount] = Field(description="Counts of each kind of case.")
    failed: Sequence[FailedCase] = Field(description="Cases that do not pass.")


class EvalQuestions(EvalScenarios):
    """`akg eval questions`."""

    second_parts: CaseCount = Field(description="Questions whose second part must be among ten, too.")
    empty: int = Field(description="Number of questions with neither results nor guides.")


class MisreadQuestion(Report):
    """A question that is read differently from its judgment."""

    question: str = Field(description="The question.")
    problems: Sequence[str] = Field(description="Parts that are not read, that are read too, or that are not dropped.")


class EvalReadings(Report):
    """`akg eval readings`."""

    questions: int = Field(description="Number of questions.")
    right: int = Field(description="Number of questions whose parts are read as judged.")
    misread: Sequence[MisreadQuestion] = Field(description="The other questions.")


class UnjudgedHit(Report):
    """A hit that nobody has judged."""

    question: str = Field(description="The question.")
    id: str = Field(description="Id of the entity.")


class EvalPrecision(Report):
    """`akg eval precision`."""

    precision: float = Field(description="Share of the judged hits that are right.")
    judged: int = Field(description="Number of judged hits.")
    unjudged: Sequence[UnjudgedHit] = Field(description="Hits that nobody has judged.")
