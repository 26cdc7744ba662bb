"""Probes: shared for a moment, and not ready while the live release is empty."""

import math

import pytest

from api.engine.search_engine import SearchEngine
from api.errors import EngineUnavailableError
from api.health import CACHE_SECONDS, Health
from api.service import GraphService
from api.settings import Settings
from schema.english_words import Dictionary
from schema.vocabulary import Vocabulary
from tests.support.misbehaving_servers import empty_release


async def test_probes_within_a_moment_share_one_request(vocabulary: Vocabulary) -> None:
    now = 100.0
    async with empty_release() as (url, paths):
        engine = SearchEngine(Settings(), [url])
        await engine.refresh_live_release()  # the first reads the metadata, too
        paths.clear()
        health = Health(engine, GraphService(engine, vocabulary, Dictionary(frozenset())), lambda: now)
        assert [await health.engine_is_up() for _ in range(3)] == [True] * 3
        assert len(paths) == 1
        now += 2 * CACHE_SECONDS
        assert await health.engine_is_up()
        assert len(paths) == 2
        await engine.close()


async def test_an_empty_release_is_not_ready(vocabulary: Vocabulary) -> None:
    async with empty_release() as (url, _):
        engine = SearchEngine(Settings(), [url])
        health = Health(engine, GraphService(engine, vocabulary, Dictionary(frozenset())), lambda: 100.0)
        with pytest.raises(EngineUnavailableError, match="The live release is empty"):
            await health.ready()
        await engine.close()


@pytest.mark.parametrize(
    ("searched_at", "stale_seconds", "ready"),
    [
        (90.0, 20, True),
        (90.0, 10, False),  # too long ago
        (90.0, 0, False),  # no cache, or no stale responses
        (-math.inf, 20, False),  # never
    ],
)
async def test_is_degraded_while_stale_responses_are_young_enough(
    vocabulary: Vocabulary, searched_at: float, stale_seconds: float, *, ready: bool
) -> None:
    async with empty_release() as (url, _):
        engine = SearchEngine(Settings(), [url])
        release = await engine.refresh_live_release()
    engine.searched_at = searched_at  # and the server is gone
    health = Health(engine, GraphService(engine, vocabulary, Dictionary(frozenset())), lambda: 100.0, stale_seconds)
    if ready:
        assert await health.ready() == (release, True)
    else:
        with pytest.raises(EngineUnavailableError):
            await health.ready()
    await engine.close()


async def test_is_not_degraded_before_the_first_contact(vocabulary: Vocabulary) -> None:
    engine = SearchEngine(Settings(), ["http://127.0.0.1:9"])
    engine.searched_at = 100.0
    health = Health(engine, GraphService(engine, vocabulary, Dictionary(frozenset())), lambda: 100.0, 20)
    with pytest.raises(EngineUnavailableError):
        await health.ready()
    await engine.close()
