"""How the synonym rules that match a query rewrite it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

from api.search.lexicon import keywords
from schema.text import singularize, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schema.synonyms import RuleMatch

MAX_VARIANTS = 64  # of a query; each rule multiplies them


@dataclass(frozen=True)
class QueryVariant:
    """The tokens of a query, some of them rewritten by rules. `replaced` pairs each typed term with its replacement."""

    tokens: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The tokens without plural endings."""
        return tuple(map(singularize, self.tokens))

    @cached_property
    def keyword_stems(self) -> tuple[str, ...]:
        """The keywords without plural endings."""
        return tuple(map(singularize, keywords(self.tokens)))


def query_variants(typed: tuple[str, ...], matches: Sequence[RuleMatch]) -> tuple[QueryVariant, ...]:
    """Return the query as typed and as rules rewrite it, those with the fewest replacements first."""
    choices: list[list[QueryVariant]] = []
    end = 0
    for match in matches:
        choices += [[QueryVariant((token,))] for token in typed[end : match.start]]
        choices.append(_replacements(match, typed[match.start : match.end]))
        end = match.end
    choices += [[QueryVariant((token,))] for token in typed[end:]]
    variants = [
        QueryVariant(
            tuple(token for part in parts for token in part.tokens),
            tuple(pair for part in parts for pair in part.replaced),
        )
        for parts in islice(product(*choices), MAX_VARIANTS)
    ]
    return tuple(sorted(variants, key=lambda variant: len(variant.replaced)))


def _replacements(match: RuleMatch, typed: tuple[str, ...]) -> list[QueryVariant]:
    """Return the term as typed, then each of its replacements."""
    terms = [(term, tokens(term)) for term in match.rule.replacements]
    return [QueryVariant(typed), *(QueryVariant(read, ((match.term, term),)) for term, read in terms if read != typed)]
