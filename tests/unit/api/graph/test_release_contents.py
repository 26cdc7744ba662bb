"""What a release contains, as `GET /` and the tools describe it."""

from pathlib import Path

from api import about, models
from api.graph.release_contents import graph_summary
from api.http.envelope import provenance
from schema.vocabulary import read_vocabulary
from tests.support.search_responses import RELEASE


def test_the_graph_summary_has_counts_and_example_requests(mappings: Path) -> None:
    summary = graph_summary(read_vocabulary(mappings), RELEASE.counts, {"recommends": "disability:migraine"})
    assert summary["totals"] == {"entities": 3, "edges": 2}  # an edge and its inverse are one
    types = {item["name"]: item for item in summary["types"]}
    assert (types["solution"]["total"], types["vendor"]["total"]) == (2, 0)
    assert types["solution"]["example"] == "/solution?limit=5"
    edges = {item["name"]: item for item in summary["edges"]}
    assert edges["recommends"]["example"] == "/disability/migraine/neighbors?edge=recommends&limit=5"
    assert edges["recommends"]["total"] == 2
    assert edges["has_limitation"]["example"] is None  # the release has no such edge
    assert edges["recommended_for"]["example"] is None  # the release has no example of it
    assert edges["broader"]["pairs"] == [[name, name] for name in ("disability", "limitation", "occupation")]
    wrapped = {**summary, "provenance": provenance(RELEASE, ()), "notice": about.notice("/")}
    models.GraphSummary.model_validate(wrapped)
