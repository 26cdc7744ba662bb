"""What every body leaves with: provenance, notice, ETag, cache headers, and JSON that can always be written."""

from __future__ import annotations

import json
from dataclasses import replace

import orjson
import pytest

from api import results
from api.envelope import Envelope, dumps, etag, matches
from api.errors import DeadlineError, InvalidError, NotFoundError
from api.release import Release
from api.settings import Settings

RELEASE = Release(
    index="akg-entities-20261121t120000z",
    data_version="1.0.0+abc",
    synonyms_version="def",
    released="2026-11-21T12:00:00Z",
    counts={"types": {}, "edges": {}},
    sources={},
    core_sources=(),
    rules=(),
    examples={},
)
ENVELOPE = Envelope(Settings(cache_seconds=60, notice_url="https://advice.example.org/"))
TAG = '"0123456789abcdef01234567"'


def test_a_sealed_body_says_where_it_comes_from_and_what_it_is_not() -> None:
    assert ENVELOPE.seal({"total": 0}, RELEASE) == {
        "total": 0,
        "provenance": results.provenance(RELEASE, ()),
        "notice": results.notice("https://advice.example.org/"),
    }


def test_an_answer_is_sealed_with_its_warnings_and_the_sources_it_rests_on() -> None:
    line = {"id": "jan", "title": "JAN", "licence": "Public domain", "url": None, "attribution": "As listed by JAN."}
    release = replace(RELEASE, sources={"jan": line})
    sealed = ENVELOPE.sealed(
        results.Reply({"total": 0, "warnings": [{"message": "b"}]}, release, ["jan"]), [{"message": "a"}]
    )
    assert sealed["warnings"] == [{"message": "a"}, {"message": "b"}]
    assert sealed["provenance"]["sources"] == [line]
    assert "warnings" not in ENVELOPE.sealed(results.Reply({"total": 0}, release))
    record = {"sources": [{"id": "other"}], "summaries": {}}
    assert ENVELOPE.sealed(results.Reply(record, release, ["jan"]))["provenance"]["sources"] == [{"id": "other"}]


def test_an_answer_may_be_cached_and_asked_for_again_by_its_tag() -> None:
    response = ENVELOPE.answer({"name": "Crohn’s"}, TAG, None)
    assert (response.status_code, response.media_type) == (200, "application/json")
    assert orjson.loads(response.body) == {"name": "Crohn’s"}
    assert (response.headers["etag"], response.headers["cache-control"]) == (TAG, "public, max-age=60")


def test_an_answer_that_the_caller_has_is_not_sent_again() -> None:
    response = ENVELOPE.answer({"name": "x"}, TAG, TAG)
    assert (response.status_code, response.body) == (304, b"")
    assert (response.headers["etag"], response.headers["cache-control"]) == (TAG, "public, max-age=60")
    assert ENVELOPE.answer({"name": "x"}, TAG, '"another"').status_code == 200


@pytest.mark.parametrize(
    ("if_none_match", "same"),
    [
        (TAG, True),
        (f"W/{TAG}", True),
        (f'"other", {TAG}', True),
        (f'"other",W/{TAG} , "third"', True),
        ("*", True),
        (" * ", True),
        ('"other"', False),
        (TAG.strip('"'), False),  # an entity tag has quotes
        ("", False),
    ],
)
def test_tags_are_compared_weakly(if_none_match: str, same: bool) -> None:  # noqa: FBT001 - a column of the table
    assert matches(if_none_match, TAG) is same


def test_the_tag_changes_with_release_rules_and_request_and_with_nothing_else() -> None:
    request = ["/search", "query=ms"]
    tags = [
        etag(RELEASE, request),
        etag(replace(RELEASE, index="akg-entities-20261122t120000z"), request),
        etag(replace(RELEASE, synonyms_version="xyz"), request),
        etag(RELEASE, ["/suggest", "query=ms"]),
        etag(RELEASE, ["/search", "query=als"]),
        etag(RELEASE, [*request, '{"disability":"ms"}']),
    ]
    assert len(set(tags)) == len(tags)
    assert etag(replace(RELEASE, rules=({"text": "a, b"},)), request) == tags[0]
    assert all(tag.startswith('"') and tag.endswith('"') and tag[1:-1].isalnum() for tag in tags)


def test_a_tag_can_be_made_of_any_text() -> None:
    assert etag(RELEASE, ["/search", "\ud800"]) != etag(RELEASE, ["/search", "x"])


def test_an_error_is_problem_json_and_never_cached() -> None:
    response = ENVELOPE.error(NotFoundError("There is no such entity.", suggestions=[]), RELEASE)
    assert (response.status_code, response.media_type) == (404, "application/problem+json")
    assert response.headers["cache-control"] == "no-store"
    assert orjson.loads(response.body) == {
        "type": "about:blank",
        "title": "Not found",
        "status": 404,
        "detail": "There is no such entity.",
        "suggestions": [],
        "provenance": results.provenance(RELEASE, ()),
        "notice": results.notice("https://advice.example.org/"),
    }


def test_an_error_carries_the_headers_it_must() -> None:
    response = ENVELOPE.error(DeadlineError("Too slow."), None)
    assert (response.status_code, response.headers["retry-after"]) == (504, "1")


def test_invalid_input_has_fastapis_body() -> None:
    response = ENVELOPE.error(InvalidError([{"loc": ["body"], "msg": "no", "type": "t"}]), RELEASE)
    assert (response.status_code, response.media_type) == (422, "application/json")
    assert response.headers["cache-control"] == "no-store"
    assert orjson.loads(response.body)["detail"] == [{"loc": ["body"], "msg": "no", "type": "t"}]


def test_a_lone_surrogate_that_is_echoed_does_not_break_the_answer() -> None:
    echoed = {"input": "a\ud800b", "deep": [{"\udfff": ("\udc00", 1.5, True, None)}]}
    assert orjson.loads(dumps(echoed)) == {"input": "a?b", "deep": [{"?": ["?", 1.5, True, None]}]}


@pytest.mark.parametrize("number", [2**64, 10**30, -(10**30)])
def test_a_number_of_any_size_that_is_echoed_does_not_break_the_answer(number: int) -> None:
    assert int(json.loads(dumps({"offset": number}))["offset"]) == number


def test_what_json_has_no_word_for_is_null_in_every_answer() -> None:
    for beside in ("plain", "\ud800", 10**30):
        told = json.loads(dumps({"input": [float("nan"), float("inf")], "beside": beside}))
        assert told["input"] == [None, None]


def test_ordinary_text_is_written_as_it_is() -> None:
    assert (
        dumps({"name": "Guillain-Barré", "n": [1, 2.5, None]}) == '{"name":"Guillain-Barré","n":[1,2.5,null]}'.encode()
    )
