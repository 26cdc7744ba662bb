"""Reports about measurements of search and recommendations."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


class SearchScores(Report):
    """Mean scores of judged queries."""

    queries: int = Field(description="Number of queries.")
    ndcg: float = Field(description="nDCG@10.")
    mrr: float = Field(description="Mean reciprocal rank.")
    success1: float = Field(description="Share of queries whose first hit is a best one.")
    success3: float = Field(description="Share of queries with a best hit among the first three.")


class EvalSearch(Report):
    """`akg eval search`."""

    scores: dict[str, SearchScores] = Field(description="Scores of each kind of query, and of `all`.")
    halves: dict[str, SearchScores] = Field(
        description="Scores of each half of the queries: `development` and `held-out`."
    )
    regressions: Sequence[str] = Field(
        description="Scores that dropped since the last report by more than the tolerance; then the exit code is 1."
    )


class HoldoutScoresRow(Report):
    """Mean scores of one ranking of solutions that were hidden."""

    hidden: str = Field(description="What was hidden.")
    ranking: str = Field(description="The ranking.")
    lists: int = Field(description="Number of lists.")
    ndcg: float = Field(description="nDCG@20.")
    graded: float = Field(description="nDCG@20 with a gain for each need that lists a solution.")
    recall: float = Field(description="Share of the hidden solutions among the first 20.")


class EvalRecommend(Report):
    """`akg eval recommend`."""

    scores: Sequence[HoldoutScoresRow] = Field(description="Scores of each ranking.")
    regressions: Sequence[str] = Field(
        description="Scores that dropped since the last report by more than the tolerance; then the exit code is 1."
    )


class ScoreChange(Report):
    """Scores of a kind of query before and after."""

    before: SearchScores = Field(description="Scores with the live rules.")
    after: SearchScores = Field(description="Scores with the rules of the files.")


class HitRow(Report):
    """One hit of a search."""

    id: str = Field(description="Id of the entity.")
    name: str = Field(description="Its name.")
    why: str = Field(description="Why it matches, in a sentence.")


class ChangedQueryRow(Report):
    """A query with other hits, or another order."""

    query: str = Field(description="The query.")
    kind: str | None = Field(description="Its kind; null if it is not judged.")
    gain: float | None = Field(description="Change of its nDCG@10; null if it is not judged.")
    before: Sequence[HitRow] = Field(description="Its first hits with the live rules, or without the overlay.")
    after: Sequence[HitRow] = Field(description="Its first hits with the rules of the files, or with the overlay.")


class ComparisonReport(Report):
    """The effect of other rules on queries."""

    queries: int = Field(description="Number of queries that were run.")
    scores: dict[str, ScoreChange] = Field(description="Scores of each kind of judged query, and of `all`.")
    changed: Sequence[ChangedQueryRow] = Field(description="Queries with other hits, the greatest loss first.")
    regressions: Sequence[str] = Field(description="Scores that drop by more than the tolerance.")


class EvalSynonyms(Report):
    """`akg eval synonyms`."""

    before: str = Field(description="Version of the live rules.")
    after: str = Field(description="Version of the rules of the files; the same if they are live.")
    comparison: ComparisonReport | None = Field(
        description="Effect on the judged queries; null if no rule changes. With regressions the exit code is 1."
    )
