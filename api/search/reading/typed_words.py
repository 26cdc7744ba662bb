"""Shows the reading of a corrected query with the words as they were typed."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from api.search.query import ParsedQuery
from api.search.reading.candidates import SPELLING
from api.search.reading.model import Part, Reading

Blocks = Sequence[tuple[str, int, int, int, int]]  # as `SequenceMatcher.get_opcodes` returns them


def with_typed_words(reading: Reading, typed: ParsedQuery, corrected: ParsedQuery) -> Reading:
    """Return the reading of a corrected query with the words as they were typed, and where they stand."""
    blocks = SequenceMatcher(None, corrected.tokens, typed.tokens, autojunk=False).get_opcodes()

    def as_typed(part: Part) -> Part:
        places = [
            place for place, (start, end) in enumerate(corrected.offsets) if start < part.end and end > part.start
        ]
        target, changed = _typed_places(blocks, places)
        if not target:
            return part
        start, end = typed.offsets[min(target)][0], typed.offsets[max(target)][1]
        matched_by = SPELLING if changed else part.matched_by
        return replace(part, text=typed.text[start:end], start=start, end=end, matched_by=matched_by)

    return replace(
        reading,
        parts=[as_typed(part) for part in reading.parts],
        dropped=[(as_typed(part), reason) for part, reason in reading.dropped],
        unused=[_typed_word(word, blocks, typed, corrected) for word in reading.unused],
    )


def _typed_word(word: str, blocks: Blocks, typed: ParsedQuery, corrected: ParsedQuery) -> str:
    """Return a word of the corrected query as it was typed."""
    places = [place for place, offsets in enumerate(corrected.offsets) if corrected.text[slice(*offsets)] == word]
    target, _ = _typed_places(blocks, places[:1])
    return typed.text[typed.offsets[min(target)][0] : typed.offsets[max(target)][1]] if target else word


def _typed_places(blocks: Blocks, places: Sequence[int]) -> tuple[list[int], bool]:
    """Return the typed tokens for these corrected ones, and whether any of them was corrected.

    As many words as there were are the same ones; of others it is not known which stands for which.
    """
    target: list[int] = []
    changed = False
    for kind, first, last, typed_first, typed_last in blocks:
        inside = [place for place in places if first <= place < last]
        if inside and (kind == "equal" or last - first == typed_last - typed_first):
            target += [place - first + typed_first for place in inside]
            changed = changed or kind != "equal"
        elif inside and kind == "replace":
            target += range(typed_first, typed_last)
            changed = True
    return target, changed
