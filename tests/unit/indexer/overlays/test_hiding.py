"""A hidden entity is in no row of any table."""

from dataclasses import fields, replace

import pytest

from indexer.content.guidance_rows import Caution, Exclusion, Guidance, JobRule
from indexer.content.rows import BodyPart, Content
from indexer.content.wordings import Wording
from indexer.graph.build import build_graph
from indexer.overlays.hiding import without_entities
from schema.vocabulary import Vocabulary

TEXTS = ("a page", "https://example.org/", "2026", "2026")


def caution(*concerns: str, solution: str = "") -> Caution:
    return Caution(solution, concerns, "must", "Take care.", *TEXTS)


def test_nothing_changes_without_hidden_entities(content: Content) -> None:
    assert without_entities(content, frozenset()) is content


def test_no_row_mentions_a_hidden_entity_and_the_graph_can_be_built(content: Content, vocabulary: Vocabulary) -> None:
    for entity in content.entities:
        rest = without_entities(content, {entity.id})
        rows = repr([getattr(rest, field.name) for field in fields(rest) if field.name != "redirects"])
        assert f"'{entity.id}'" not in rows
        assert entity.id not in rest.redirects.values()
        assert entity.id not in build_graph(rest, vocabulary).nodes


def test_lists_of_ids_lose_the_hidden_one_and_empty_lists_their_row(content: Content) -> None:
    exclusion = Exclusion(
        "solution:telework", ("disability:low-vision", "limitation:blind"), "", "No.", "source", "", ()
    )
    rule = JobRule(("29-1",), ("disability:low-vision",), "A rule.", *TEXTS)
    words = BodyPart(("eye",), "part", ("limitation:blind", "disability:low-vision"), "source", ())
    guidance = Guidance(exclusions=(exclusion,), job_rules=(rule,))
    wording = Wording("limitation:blind", ("walks into doors",), ())
    content = replace(content, guidance=guidance, body_parts=(words,), wordings=(wording,))
    rest = without_entities(content, {"disability:low-vision"})
    assert rest.guidance.exclusions == (exclusion._replace(concerns=("limitation:blind",)),)
    assert rest.guidance.job_rules == ()
    assert rest.body_parts == (words._replace(entities=("limitation:blind",)),)
    assert rest.wordings == (wording,)
    rest = without_entities(content, {"disability:low-vision", "limitation:blind"})
    assert (rest.guidance.exclusions, rest.body_parts, rest.wordings) == ((), (), ())


@pytest.mark.parametrize(
    ("concerns", "left"),
    [
        (("disability:low-vision", "limitation:blind"), ("limitation:blind",)),
        (("disability:low-vision", "limitation:blind", "occupation:29-1"), ("limitation:blind", "occupation:29-1")),
        (("occupation:29-1",), ("occupation:29-1",)),
        (("disability:low-vision", "occupation:29-1"), None),  # else it would be for everybody in these jobs
        (("disability:low-vision",), None),
    ],
)
def test_a_caution_never_comes_to_be_for_more_people(
    content: Content, concerns: tuple[str, ...], left: tuple[str, ...] | None
) -> None:
    content = replace(content, guidance=Guidance(cautions=(caution(*concerns),)))
    rest = without_entities(content, {"disability:low-vision"}).guidance.cautions
    assert rest == ((caution(*left),) if left else ())
