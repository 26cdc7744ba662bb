"""Finds cycles in the hierarchy in linear time: a thesaurus that states both directions has thousands.

Entities that reach each other are one strongly connected component. Each component of several entities is one problem.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexer.content.problems import Location, Problem

Step = tuple[str, str]  # full ids of a narrower and a broader entity
Steps = Mapping[str, Sequence[str]]  # from each entity
MAX_CYCLES = 50  # listed; the others are counted
MAX_LISTED_ENTITIES = 12  # of one cycle


def cycle_problems(steps: Iterable[tuple[Step, Location]]) -> Iterator[Problem]:
    """Report one cycle of each component at its last row, the one that most likely closed it."""
    locations = dict(steps)
    broader_of: defaultdict[str, list[str]] = defaultdict(list)
    narrower_of: defaultdict[str, list[str]] = defaultdict(list)
    for entity, broader in locations:
        broader_of[entity].append(broader)
        narrower_of[broader].append(entity)
    components = _components(broader_of, narrower_of)
    last_steps: dict[str, Step] = {}
    for step in sorted(locations, key=locations.__getitem__):
        if (component := components[step[0]]) == components[step[1]] and step[0] != step[1]:
            last_steps[component] = step
    closing = sorted(last_steps.values(), key=locations.__getitem__)
    for entity, broader in closing[:MAX_CYCLES]:
        path = [entity, *_shortest_path(broader_of, broader, entity)]
        yield Problem(*locations[entity, broader], f"cycle in broader: {_path_text(path)}")
    if others := closing[MAX_CYCLES:]:
        message = f"{len(others):,} more cycles in broader follow; only the first {MAX_CYCLES} are listed"
        yield Problem(*locations[others[0]], message)


def _components(broader_of: Steps, narrower_of: Steps) -> dict[str, str]:
    """Return one entity of its strongly connected component for each entity, by Kosaraju's algorithm."""
    components: dict[str, str] = {}
    for root in reversed(_finished(broader_of)):
        level = [root] if root not in components else []
        while level:
            components.update(dict.fromkeys(level, root))
            narrower = (entity for broader in level for entity in narrower_of.get(broader, ()))
            level = [entity for entity in dict.fromkeys(narrower) if entity not in components]
    return components


def _finished(broader_of: Steps) -> list[str]:
    """Return the entities in the order in which a depth-first search leaves them."""
    finished: list[str] = []
    seen: set[str] = set()
    for start in broader_of:
        path = [(start, iter(broader_of[start]))] if start not in seen else []
        seen.add(start)
        while path:
            entity, remaining = path[-1]
            following = next((broader for broader in remaining if broader not in seen), "")
            if following:
                seen.add(following)
                path.append((following, iter(broader_of.get(following, ()))))
            else:
                finished.append(entity)
                path.pop()
    return finished


def _shortest_path(broader_of: Steps, start: str, end: str) -> list[str]:
    """Return the entities from start to end, which start reaches."""
    previous = {start: ""}
    queue = deque([start])
    while end not in previous:
        entity = queue.popleft()
        for broader in broader_of.get(entity, ()):
            if broader not in previous:
                previous[broader] = entity
                queue.append(broader)
    path = [end]
    while path[-1] != start:
        path.append(previous[path[-1]])
    return path[::-1]


def _path_text(path: Sequence[str]) -> str:
    if len(path) <= MAX_LISTED_ENTITIES:
        return " → ".join(path)
    skipped = len(path) - MAX_LISTED_ENTITIES
    return " → ".join([*path[: MAX_LISTED_ENTITIES - 1], f"({skipped:,} more)", path[-1]])
