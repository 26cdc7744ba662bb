"""The report of a preview names what an overlay adds, changes and hides, and which results move."""

import pytest

from akg.evaluation.candidate import ChangedQuery, Comparison
from akg.evaluation.overlay_preview import MAX_QUERIES, OverlayComparison, preview_report, print_queries
from akg.reports.releases import EdgeChange, EntityChange
from indexer.release.changes import Changes

NAMES = {"product:pen": "Pen", "product:old": "Old Pen", "vendor:pool": "Pool"}
CHANGES = Changes(
    NAMES,
    {"product": {"added": ["product:pen"], "changed": [], "removed": ["product:old"]}},
    {"sold_by": {"added": [("sold_by", "product:pen", "vendor:pool")], "changed": [], "removed": []}},
)


def changed(query: str, before: str, after: str) -> ChangedQuery:
    hits = {key: {"id": f"product:{key}", "name": key.upper(), "why": ""} for key in before + after}
    return ChangedQuery(query, "lay", -0.5, [hits[key] for key in before], [hits[key] for key in after])


def comparison(*queries: ChangedQuery) -> Comparison:
    return Comparison(queries=20, scores={}, changed=queries, regressions=["lay: ndcg drops by 0.5000"])


def test_the_report_calls_removed_entities_hidden() -> None:
    report = preview_report(OverlayComparison("campus", "1+a", "1+b", CHANGES, comparison(changed("pen", "ab", "ba"))))
    assert report.entities == [
        EntityChange(change="added", id="product:pen", name="Pen", type="product"),
        EntityChange(change="hidden", id="product:old", name="Old Pen", type="product"),
    ]
    assert report.edges == [EdgeChange(change="added", edge="sold_by", source="product:pen", target="vendor:pool")]
    (query,) = report.changed
    assert (query.query, query.kind, query.gain) == ("pen", "lay", -0.5)
    assert ([hit.id for hit in query.before], query.after[0].name) == (["product:a", "product:b"], "B")
    assert (report.queries, report.regressions) == (20, ["lay: ndcg drops by 0.5000"])


def test_prints_what_enters_and_leaves_the_first_results(capsys: pytest.CaptureFixture[str]) -> None:
    print_queries(comparison(changed("pen", "ab", "ca"), changed("order", "ab", "ba")), every=False)
    output = capsys.readouterr().out
    assert "‘pen’ (lay, nDCG -0.5000)\n  + 1. C\n  - 2. B\n" in output
    assert "‘order’ (lay, nDCG -0.5000)\n  The same ten results in another order.\n" in output
    assert output.endswith("lay: ndcg drops by 0.5000\n")


@pytest.mark.parametrize(("every", "shown"), [(False, MAX_QUERIES), (True, MAX_QUERIES + 3)])
def test_prints_the_first_queries_unless_all_are_wanted(
    capsys: pytest.CaptureFixture[str], *, every: bool, shown: int
) -> None:
    print_queries(comparison(*(changed(f"query {number}", "a", "b") for number in range(MAX_QUERIES + 3))), every=every)
    output = capsys.readouterr().out
    assert output.count("‘query ") == shown
    assert ("3 more queries (--all lists them)" in output) is not every
