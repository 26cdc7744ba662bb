"""The cache of one release: each value is read once, at most so many are kept, and another release drops all."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from api.engine.release import Release
from api.graph.catalogue import ReleaseCache, entities_body
from tests.support.query_clauses import term
from tests.support.search_responses import RELEASE

LATER = replace(RELEASE, index="akg-entities-20261122t120000z")


@pytest.fixture
def reads() -> list[str]:
    """The ids of each read, joined."""
    return []


@pytest.fixture
def cache(reads: list[str]) -> ReleaseCache[str]:
    """A cache of at most three letters. The value of a letter is its upper case with the day of the release."""

    async def read(ids: Sequence[str], release: Release) -> Mapping[str, str]:
        reads.append("".join(ids))
        return {id_: f"{id_.upper()}{release.index[19:21]}" for id_ in ids if id_ != "x"}

    return ReleaseCache(3, read)


async def test_each_value_is_read_once(cache: ReleaseCache[str], reads: list[str]) -> None:
    assert await cache.get("ab", RELEASE) == {"a": "A21", "b": "B21"}
    assert await cache.get("bca", RELEASE) == {"a": "A21", "b": "B21", "c": "C21"}
    assert await cache.get(["c"], RELEASE) == {"c": "C21"}
    assert reads == ["ab", "c"]


async def test_nothing_is_read_for_no_ids(cache: ReleaseCache[str], reads: list[str]) -> None:
    assert await cache.get((), RELEASE) == {}
    assert reads == []


async def test_an_id_is_requested_once_from_the_index(cache: ReleaseCache[str], reads: list[str]) -> None:
    assert await cache.get(iter("aab"), RELEASE) == {"a": "A21", "b": "B21"}
    assert reads == ["ab"]


async def test_ids_that_do_not_exist_have_no_value(cache: ReleaseCache[str], reads: list[str]) -> None:
    assert await cache.get("ax", RELEASE) == {"a": "A21"}
    assert await cache.get("ax", RELEASE) == {"a": "A21"}
    assert reads == ["ax", "x"]


async def test_a_full_cache_is_emptied(cache: ReleaseCache[str], reads: list[str]) -> None:
    await cache.get("abc", RELEASE)
    assert await cache.get("ad", RELEASE) == {"a": "A21", "d": "D21"}
    assert await cache.get("da", RELEASE) == {"a": "A21", "d": "D21"}
    assert reads == ["abc", "d", "a"]


async def test_more_values_than_the_cache_holds_are_returned_and_not_kept(
    cache: ReleaseCache[str], reads: list[str]
) -> None:
    for _ in range(2):
        assert "".join(await cache.get("abcd", RELEASE)) == "abcd"
    assert reads == ["abcd", "abcd"]


async def test_another_release_drops_all_values(cache: ReleaseCache[str], reads: list[str]) -> None:
    await cache.get("ab", RELEASE)
    assert await cache.get("a", LATER) == {"a": "A22"}
    assert await cache.get("ab", LATER) == {"a": "A22", "b": "B22"}
    assert await cache.get("a", RELEASE) == {"a": "A21"}  # a response that began before
    assert reads == ["ab", "a", "b", "a"]


async def test_a_value_that_is_returned_stays_when_the_cache_is_emptied(cache: ReleaseCache[str]) -> None:
    first = await cache.get("abc", RELEASE)
    await cache.get("d", RELEASE)
    await cache.get("a", LATER)
    assert first == {"a": "A21", "b": "B21", "c": "C21"}


@pytest.mark.parametrize(("fields", "source"), [((), False), (("rarity", "settings"), ["rarity", "settings"])])
def test_entities_are_read_by_full_id(fields: tuple[str, ...], source: object) -> None:
    assert entities_body(["solution:a", "solution:b"], fields) == {
        "size": 10_000,
        "_source": source,
        "docvalue_fields": ["card", "sources"],
        "query": {"bool": {"filter": [term("doc", "entity"), {"ids": {"values": ["solution:a", "solution:b"]}}]}},
    }
