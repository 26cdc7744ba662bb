"""What is told of a seed alone when a release is made is what would be told of it when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from akg.answers_ahead import with_answers
from api.inflated import inflated
from api.narrowing import in_setting
from api.ranking import SeedData
from api.telling import KEPT, kept_answer, told
from indexer.deflated import deflated

if TYPE_CHECKING:
    from collections.abc import Iterator

Documents = dict[str, dict[str, Any]]


@pytest.fixture
def needs(written: Documents) -> dict[str, dict[str, Any]]:
    """Every seed's needs in the world, by the key of their document."""
    return {key: inflated(body["needs"]) for key, body in written.items() if body["doc"] == "needs"}


def test_every_seed_that_speaks_for_itself_keeps_its_answer(
    needs: dict[str, dict[str, Any]], written: Documents
) -> None:
    answered = {key: body for key, body in with_answers(written.items()) if "answer" in body}
    jobs = {key for key, told in needs.items() if told["card"]["type"] == "occupation"}
    heirs = {key for key, told in needs.items() if told.get("heir_of")}
    assert answered.keys() == needs.keys() - jobs - heirs
    assert jobs
    assert heirs
    for key, body in answered.items():
        assert inflated(body["answer"])["card"] == needs[key]["card"]
        assert {name: value for name, value in body.items() if name != "answer"} == written[key]


def tables(needs: dict[str, dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for told_of in needs.values():
        if (answer := kept_answer(told_of)) is not None:
            yield told_of, answer["told"]


def test_a_kept_answer_is_the_one_that_would_be_told(needs: dict[str, dict[str, Any]]) -> None:
    for of, kept in tables(needs):
        field = {"workrelatedfunction": "work_function"}.get(of["card"]["type"], of["card"]["type"])
        asked = told([SeedData(field, of["card"], in_setting(of, None), of["inherits"])], None, 500)
        read = inflated(deflated(kept))
        assert read["results"] == orjson.loads(orjson.dumps(asked["results"][:KEPT]))
        assert {name: read[name] for name in ("total", "coverage", "warnings")} == orjson.loads(
            orjson.dumps({name: asked[name] for name in ("total", "coverage", "warnings")})
        )


@pytest.mark.parametrize("more", [{"heir_of": ["disability:x"]}, {"card": {"type": "occupation"}}])
def test_what_depends_on_more_is_not_told_ahead(needs: dict[str, dict[str, Any]], more: dict[str, Any]) -> None:
    assert kept_answer({**needs["disability:low-vision/needs"], **more}) is None
