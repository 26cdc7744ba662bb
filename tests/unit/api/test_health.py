"""Probes: shared for a moment, and not ready while the live release is empty."""

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
