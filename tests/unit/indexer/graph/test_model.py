"""How the aliases of an entity are grouped."""

from indexer.content.rows import Alias
from indexer.graph.model import alias_groups
from tests.support.small_graphs import entity, graph_of

RASH, SKIN = (entity(f"disability:{key}", kind=kind) for key, kind in (("rash", "narrower"), ("skin", "main")))
NAMES = (
    (RASH, "itchy rash", "lay"),
    (RASH, "IR", "abbreviation"),
    (RASH, "a-b-c-d", "abbreviation"),
    (RASH, "leper's rash", "hidden"),
    (RASH, "skin trouble", "near"),
    (SKIN, "SK", "abbreviation"),
)


def test_aliases_are_grouped_by_how_they_match_and_whether_they_are_shown() -> None:
    aliases = [Alias(node.id, text, kind, ("s",)) for node, text, kind in NAMES]
    tree = graph_of([RASH, SKIN], aliases={RASH.id: tuple(aliases[:-1]), SKIN.id: (aliases[-1],)})
    rash = alias_groups(tree, "disability:rash")
    assert [alias.text for alias in rash.shown] == ["itchy rash", "IR", "a-b-c-d"]
    assert (rash.exact, rash.short) == (("itchy rash",), ("IR", "a-b-c-d"))  # up to four letters
    assert (rash.hidden, rash.near) == (("leper's rash",), ("skin trouble",))
    assert alias_groups(tree, "disability:skin").exact == ("SK",)
