"""Make documents while the engine is busy with earlier ones: the two waits overlap, and memory stays bounded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

Item = TypeVar("Item")


def ahead(items: Iterable[Item], batch: int) -> Generator[Item, None, None]:
    """Yield the items in order; the next `batch` of them is made meanwhile. The maker's error is raised here."""
    source = iter(items)
    with ThreadPoolExecutor(1) as maker:
        coming = maker.submit(_some, source, batch)
        while made := coming.result():
            coming = maker.submit(_some, source, batch)
            yield from made


def _some(source: Iterator[Item], batch: int) -> list[Item]:
    return list(islice(source, batch))
