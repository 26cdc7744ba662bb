"""The response envelope: provenance, notice, ETag, cache headers and valid JSON."""

import json
from dataclasses import replace

import orjson
import pytest

from api import about, models
from api.errors import InvalidError, NotFoundError
from api.http.envelope import Envelope, dumps, etag, etag_matches, provenance
from api.result import ServiceResult
from api.settings import Settings
from schema.synonyms import SynonymMatcher, SynonymRule
from tests.support.search_responses import ATLAS, FAIR, RELEASE

ENVELOPE = Envelope(Settings(cache_seconds=60, notice_url="https://advice.example.org/"))
TAG = '"0123456789abcdef01234567"'


def test_a_body_gets_provenance_and_notice() -> None:
    assert ENVELOPE.wrap_body({"total": 0}, RELEASE) == {
        "total": 0,
        "provenance": provenance(RELEASE, ()),
        "notice": about.notice("https://advice.example.org/"),
    }


def test_a_result_gets_its_warnings_and_sources() -> None:
    source = {"id": "jan", "title": "JAN", "licence": "Public domain", "url": None, "attribution": "As listed by JAN."}
    release = replace(RELEASE, sources={"jan": source})
    result = ServiceResult({"total": 0, "warnings": [{"message": "b"}]}, release, ["jan"])
    wrapped = ENVELOPE.wrap_result(result, [{"message": "a"}])
    assert wrapped["warnings"] == [{"message": "a"}, {"message": "b"}]
    assert wrapped["provenance"]["sources"] == [source]
    assert "warnings" not in ENVELOPE.wrap_result(ServiceResult({"total": 0}, release))


def test_the_sources_of_a_record_join_the_core_sources() -> None:
    jan, onet, other = {"id": "jan"}, {"id": "onet-30.3"}, {"id": "other"}
    sources = {"jan": jan, "onet-30.3": onet, "other": other}
    release = replace(RELEASE, sources=sources, core_sources=("onet-30.3", "jan"))
    result = ServiceResult({"sources": [jan, other], "summaries": {}}, release, ["jan", "other"])
    assert ENVELOPE.wrap_result(result)["provenance"]["sources"] == [onet, jan, other]


def test_a_response_is_cacheable_and_has_an_etag() -> None:
    response = ENVELOPE.respond({"name": "Crohn’s"}, TAG, None)
    assert (response.status_code, response.media_type) == (200, "application/json")
    assert orjson.loads(response.body) == {"name": "Crohn’s"}
    assert (response.headers["etag"], response.headers["cache-control"]) == (TAG, "public, max-age=60")


def test_a_matching_if_none_match_gets_a_304() -> None:
    response = ENVELOPE.respond({"name": "x"}, TAG, TAG)
    assert (response.status_code, response.body) == (304, b"")
    assert (response.headers["etag"], response.headers["cache-control"]) == (TAG, "public, max-age=60")
    assert ENVELOPE.respond({"name": "x"}, TAG, '"another"').status_code == 200


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
def test_etags_are_compared_weakly(if_none_match: str, same: bool) -> None:  # noqa: FBT001 - a column of the table
    assert etag_matches(if_none_match, TAG) is same


def test_the_etag_changes_with_release_rules_and_request_only() -> None:
    request = ["/search", "query=ms"]
    tags = [
        etag(RELEASE, request),
        etag(replace(RELEASE, index="akg-entities-20261122t120000z"), request),
        etag(replace(RELEASE, synonyms_version="xyz"), request),
        etag(RELEASE, ["/suggest", "query=ms"]),
        etag(RELEASE, ["/search", "query=als"]),
        etag(RELEASE, [*request, '{"disability":"ms"}']),
        etag(RELEASE, ["/search", "\ud800"]),  # any text has an ETag
    ]
    assert len(set(tags)) == len(tags)
    rules = SynonymMatcher([SynonymRule("spelling.txt", 1, ("a", "b"), ("a", "b"))])
    assert etag(replace(RELEASE, synonyms=rules), request) == tags[0]
    assert all(tag.startswith('"') and tag.endswith('"') and tag[1:-1].isalnum() for tag in tags)


def test_an_error_is_problem_json_and_never_cached() -> None:
    response = ENVELOPE.error_response(NotFoundError("There is no such entity.", suggestions=[]), RELEASE)
    assert (response.status_code, response.media_type) == (404, "application/problem+json")
    assert response.headers["cache-control"] == "no-store"
    assert orjson.loads(response.body) == {
        "type": "about:blank",
        "title": "Not found",
        "status": 404,
        "detail": "There is no such entity.",
        "suggestions": [],
        "provenance": provenance(RELEASE, ()),
        "notice": about.notice("https://advice.example.org/"),
    }


def test_invalid_input_has_fastapis_body() -> None:
    response = ENVELOPE.error_response(InvalidError([{"loc": ["body"], "msg": "no", "type": "t"}]), RELEASE)
    assert (response.status_code, response.media_type) == (422, "application/json")
    assert response.headers["cache-control"] == "no-store"
    assert orjson.loads(response.body)["detail"] == [{"loc": ["body"], "msg": "no", "type": "t"}]


def test_an_echoed_lone_surrogate_does_not_break_the_response() -> None:
    echoed = {"input": "a\ud800b", "deep": [{"\udfff": ("\udc00", 1.5, True, None)}]}
    assert orjson.loads(dumps(echoed)) == {"input": "a?b", "deep": [{"?": ["?", 1.5, True, None]}]}


@pytest.mark.parametrize("number", [2**64, 10**30, -(10**30)])
def test_an_echoed_huge_number_does_not_break_the_response(number: int) -> None:
    assert int(json.loads(dumps({"offset": number}))["offset"]) == number


def test_nan_and_infinity_become_null() -> None:
    for value in ("plain", "\ud800", 10**30):
        parsed = json.loads(dumps({"input": [float("nan"), float("inf")], "value": value}))
        assert parsed["input"] == [None, None]


def test_other_text_is_unchanged() -> None:
    body = {"name": "Guillain-Barré", "n": [1, 2.5, None]}
    assert dumps(body) == '{"name":"Guillain-Barré","n":[1,2.5,null]}'.encode()


def test_provenance_has_the_release_and_each_core_and_result_source_once() -> None:
    found = provenance(RELEASE, ["atlas", "fair", "atlas", "unheard-of"])
    assert found == {
        "service": "Accommodation Knowledge Graph",
        "version": "0.1.0",
        "data_version": "1.0.0+abc",
        "synonyms_version": "def",
        "released": "2026-11-21T12:00:00Z",
        "sources": [FAIR, ATLAS],
    }
    models.Provenance.model_validate(found)


def test_before_the_first_release_provenance_has_no_versions() -> None:
    found = provenance(None, ["atlas"])
    versions = ("data_version", "synonyms_version", "released")
    assert [found[key] for key in versions] == [None, None, None]
    assert found["sources"] == []
    models.Provenance.model_validate(found)
