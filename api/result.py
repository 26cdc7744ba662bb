"""The result of one service call, before the envelope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.engine.release import Release
    from schema.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class ServiceResult:
    """A body without provenance and notice, the release it comes from, and the ids of its sources."""

    body: JsonObject
    release: Release
    sources: Sequence[str] = ()
