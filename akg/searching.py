"""The service's own search for commands that measure it: over the live release, or over any one index."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from akg.connection import engine_urls
from api.answers import Answers
from api.dictionary import english_words
from api.engine import Engine
from api.settings import mappings_folder
from api.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from api.settings import Settings

PATIENCE_SECONDS = 30.0  # a measurement may wait longer than a caller

Result = TypeVar("Result")


@asynccontextmanager
async def searching(settings: Settings, index: str | None = None) -> AsyncIterator[tuple[Answers, Engine]]:
    """The answers of one release: the live one, or that of the index named."""
    patient = settings.model_copy(update={"deadline_seconds": PATIENCE_SECONDS, "alias": index or settings.alias})
    engine = Engine(patient, engine_urls(settings))
    try:
        yield Answers(engine, read_vocabulary(mappings_folder(settings)), english_words()), engine
    finally:
        await engine.close()


def with_service(settings: Settings, run: Callable[[Answers, Engine], Awaitable[Result]]) -> Result:
    """Run something that asks the live release."""

    async def ask() -> Result:
        async with searching(settings) as (answers, engine):
            return await run(answers, engine)

    return asyncio.run(ask())
