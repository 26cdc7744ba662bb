"""Hide what the tables list, rank with the service's own ranking from what is left, and measure what it finds again."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from api.ranking import SeedData, rank
from api.recall import Figures, figures, found
from indexer.documents import card
from indexer.graph import build_graph
from indexer.sources import read
from indexer.trial import without_a_condition, without_links
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from indexer.trial import Trial

SEED = 20261121
OURS, UNGUIDED = "ranking", "ranking without first choices"
DEVELOPMENT, HELD_OUT, LINKS = "development half", "held-out half", "links held out"

Parts = dict[str, dict[str, Figures]]


def hidden_lists(content: Path, mappings: Path, seed: int) -> dict[str, list[Trial]]:
    """What is hidden, by part of the trial: all of one condition, for either half of them, or a tenth of all links."""
    vocabulary = read_vocabulary(mappings)
    graph = build_graph(read(content, vocabulary), vocabulary)
    cards = {node: card(entity) for node, entity in graph.nodes.items()}
    chance = random.Random(seed)  # noqa: S311 - a sample, no secret
    development, held_out = halves(list(without_a_condition(graph, cards)), chance)
    return {DEVELOPMENT: development, HELD_OUT: held_out, LINKS: list(without_links(graph, cards, chance))}


def measure(hidden: Mapping[str, Sequence[Trial]], on_list: Callable[[], object]) -> Parts:
    """Figures by part of the trial and by order. `on_list` is called for each list that was judged."""
    return {part: _figures(trials, on_list) for part, trials in hidden.items()}


def halves(trials: Sequence[Trial], chance: random.Random) -> tuple[list[Trial], list[Trial]]:
    """Two halves with as many hard lists each: of two conditions with as many needs, chance sends one to either."""
    alike = sorted(trials, key=lambda trial: (len(trial.document["needs"]), trial.condition))
    one: list[Trial] = []
    other: list[Trial] = []
    for place in range(0, len(alike), 2):
        pair = alike[place : place + 2]
        chance.shuffle(pair)
        one.append(pair[0])
        other += pair[1:]
    return one, other


def orders(trial: Trial) -> Mapping[str, Sequence[str]]:
    """The simple orders, the service's, and that without what the editors would try first."""
    ranked = rank([SeedData("disability", trial.document["card"], trial.document)]).found
    unguided = sorted(ranked, key=lambda one: (one.parts["first_choice"] - one.score, one.id))
    return {**trial.orders, UNGUIDED: [one.id for one in unguided], OURS: [one.id for one in ranked]}


def _figures(trials: Iterable[Trial], on_list: Callable[[], object]) -> dict[str, Figures]:
    judged = []
    for trial in trials:
        judged.append(
            {name: found(order, trial.hidden, trial.graded, trial.shown) for name, order in orders(trial).items()}
        )
        on_list()
    return {name: figures(one[name] for one in judged) for name in judged[0]} if judged else {}
