"""The report that compares two releases by the judged queries."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


class KindComparison(Report):
    """The judged queries of one kind. A pair has the value of A, then that of B."""

    kind: str = Field(description="The kind, or `all`.")
    queries: int = Field(description="Number of its queries.")
    ndcg: tuple[float, float] = Field(description="Mean nDCG@10 in A and B.")
    success5: tuple[float, float] = Field(description="Share with a hit of the best grade among five, in A and B.")
    wins: int = Field(description="Queries with a higher nDCG@10 in B.")
    losses: int = Field(description="Queries with a lower nDCG@10 in B.")


class ComparedHit(Report):
    """A hit of a judged query."""

    id: str = Field(description="Id of the entity.")
    name: str = Field(description="Its name.")
    grade: int = Field(description="Its grade in the judgments; 0 if it has none.")


class QueryDifference(Report):
    """A query whose nDCG@10 differs, with both lists."""

    query: str = Field(description="The query.")
    kind: str = Field(description="Its kind.")
    change: float = Field(description="Its nDCG@10 in B minus that in A.")
    before: Sequence[ComparedHit] = Field(description="Its hits in A.")
    after: Sequence[ComparedHit] = Field(description="Its hits in B.")


class EvalCompare(Report):
    """`akg eval compare`."""

    a: str = Field(description="What was searched as A.")
    b: str = Field(description="What was searched as B.")
    kinds: Sequence[KindComparison] = Field(description="Scores of each kind of query, and of `all`.")
    reordered: int = Field(description="Queries with other hits or another order, whatever their score.")
    differences: Sequence[QueryDifference] = Field(description="The largest differences, the largest first.")
