"""Runs the service's own search for evaluation commands, on the live release or on one index."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from akg.connection import engine_urls
from api.engine.search_engine import SearchEngine
from api.search.spelling.dictionary import english_words
from api.service import GraphService
from api.settings import mappings_folder
from schema.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from api.settings import Settings

DEADLINE_SECONDS = 30.0  # an evaluation may wait longer than a client

Result = TypeVar("Result")


def judgments_file(settings: Settings) -> Path:
    """Return the judged queries beside the configured mappings, or the shipped ones."""
    return mappings_folder(settings) / "relevance" / "judgments.tsv"


@asynccontextmanager
async def open_service(
    settings: Settings, index: str | None = None
) -> AsyncIterator[tuple[GraphService, SearchEngine]]:
    """Open the service on an index, or on the live release."""
    settings = settings.model_copy(update={"deadline_seconds": DEADLINE_SECONDS, "alias": index or settings.alias})
    engine = SearchEngine(settings, engine_urls(settings))
    try:
        yield GraphService(engine, read_vocabulary(mappings_folder(settings)), english_words()), engine
    finally:
        await engine.close()


def run_with_service(settings: Settings, run: Callable[[GraphService, SearchEngine], Awaitable[Result]]) -> Result:
    """Run a coroutine function on the live release."""

    async def main() -> Result:
        async with open_service(settings) as (service, engine):
            return await run(service, engine)

    return asyncio.run(main())
