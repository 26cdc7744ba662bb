"""`needs` documents with only the members that a test reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schema.needs_document import NeedsDocument


def as_needs(document: Mapping[str, object]) -> NeedsDocument:
    return cast("NeedsDocument", document)
