"""How the aliases of an entity are grouped, and to what editorial first choices apply."""

from dataclasses import replace

from indexer.content.rows import Alias, FirstChoice, Recommendation
from indexer.graph.model import EditorialChoices, alias_groups
from tests.support.small_graphs import EMPTY, entity, graph_of

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


def test_first_choices_for_a_limitation_without_lists_apply_to_the_seed() -> None:
    listed = Recommendation("disability:als", "limitation:fatigue", "solution:breaks", "", ("atlas",))
    fatigue = FirstChoice("limitation:fatigue", "solution:breaks", 0.5)
    blur = FirstChoice("limitation:blur", "solution:lens", 1.0)
    choices = (fatigue, blur)
    editorial = EditorialChoices.from_content(replace(EMPTY, recommendations=(listed,), first_choices=choices))
    assert editorial.first_choices_by_need == {("limitation:fatigue", "solution:breaks"): 0.5}
    assert editorial.first_choices_by_seed == {"limitation:blur": (blur,)}
