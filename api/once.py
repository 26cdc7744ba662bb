"""What was worked out while an answer is made is not worked out again for it. Pure.

Texts are taken apart many times over, the query for each of its hits. Nothing outlives the answer: whoever gives one
forgets what was worked out, so what was asked is kept by nobody.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import _lru_cache_wrapper

Found = TypeVar("Found")
MOST = 4_096  # findings of one function: more than the longest answer takes
_remembering: list[_lru_cache_wrapper[object]] = []


def once(work: Callable[..., Found]) -> _lru_cache_wrapper[Found]:
    """Mark a function of hashable values that finds the same for the same; what it finds must not be changed."""
    remembered = lru_cache(maxsize=MOST)(work)
    _remembering.append(remembered)
    return remembered


def forget() -> None:
    """Forget all that was found. Answers that are made at the same time lose it too, and find it again."""
    for remembered in _remembering:
        remembered.cache_clear()
