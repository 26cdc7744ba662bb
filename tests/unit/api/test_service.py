"""Requests of the facade to a release without documents."""

import pytest

from api.engine.search_engine import SearchEngine
from api.errors import EngineUnavailableError
from api.service import GraphService
from api.settings import Settings
from schema.english_words import Dictionary
from schema.vocabulary import Vocabulary
from tests.support.misbehaving_servers import empty_release


async def test_an_empty_release_cannot_be_queried(vocabulary: Vocabulary) -> None:
    async with empty_release() as (url, _):
        engine = SearchEngine(Settings(), [url])
        service = GraphService(engine, vocabulary, Dictionary(frozenset()))
        with pytest.raises(EngineUnavailableError, match="The live release is empty"):
            await service.ready()
        await engine.close()
