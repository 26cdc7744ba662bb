"""What searches match of an entity: its exact keys, its names, the names of what it is for, and its description.

Names of narrower conditions and mainstream products stand in a field of their own, so that a query can rank them below
without excluding anything. `joined` holds names of neighbors that would match almost any query: it counts only beside
a type hint ("conditions that cause fatigue").
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.rows import Entity, FirstChoice
from indexer.graph.model import STATED, Graph, alias_groups, is_narrower, kind_of, solution_settings
from schema import exact_keys
from schema.english_words import is_common_abbreviation
from schema.entity_kinds import ASSISTIVE, MAINSTREAM, NEED_TYPES, SETTINGS, WORK, SettingName
from schema.json_types import JsonObject
from schema.spelling_variants import british
from schema.text import WORD, name_parts, singularize, to_american, tokens
from schema.word_forms import content_bases

GROUP_SUFFIX = ".00"  # ends the O*NET-SOC code of an occupation that covers an entire SOC group
MAX_NEEDS = 6  # the needs under which a solution is listed most; more would make "flexible schedule" match everything
MIN_LISTING_SHARE = 0.5  # of the pages with that need
MIN_LIMITED_ABILITIES = 1.0  # sum of the weights over required abilities: standing needs two of four
MAX_KEYWORDS = 3  # content words of an alias that match in any order
STATED_EDGES = {
    "disability": STATED,
    "limitation": ("limitation_of",),
    "workrelatedfunction": ("affected_by",),
}
MIN_STRENGTH = 1.0  # of a first choice
MIN_TITLE_LETTERS = 4  # of a job title that may be one word of a query: "aid" is not only a job
SENTENCE_TYPES = ("disability", *NEED_TYPES)  # what people tell of in sentences: "hands go numb"
WORD_TYPES = (*SENTENCE_TYPES, "solution")  # one word of a query may be their name: "epilepsy and driving"
MIN_DIGITS = 4  # of a code without letters: "988" is a crisis line, "365" software
DOID_PREFIX = "DOID:"  # of codes of the Disease Ontology in the tables; the others have no prefix
# Prefixes of codes as people write them.
CODE_PREFIXES = {"doid": ("", "doid"), "icd10cm": ("", "icd", "icd10", "icd10cm"), "mesh": ("", "mesh")}


@dataclass(frozen=True, slots=True)
class SearchFields:
    """Computes the fields that queries match.

    `inheritors` are the narrower conditions that inherit from a condition. `other_words` are those of all names but
    job titles: "accountant" is a job in any sentence, "driver" and "reader" are not. `first_choices` are the conditions
    and needs for which the editors put a solution first, by solution and setting.
    """

    graph: Graph
    inheritors: Mapping[str, Sequence[str]]
    other_words: frozenset[str]
    first_choices: Mapping[str, Mapping[SettingName, Sequence[str]]]

    @staticmethod
    def from_graph(graph: Graph, inheritors: Mapping[str, Sequence[str]]) -> "SearchFields":
        """Collect the words of all names."""
        words = {
            word
            for entity in graph.nodes.values()
            if entity.type not in {"occupation", "ability", "vendor"}
            for text in (entity.name, *alias_groups(graph, entity.id).exact)
            for word in map(singularize, tokens(text))
        }
        return SearchFields(graph, inheritors, frozenset(words), _first_choices(graph))

    def fields(self, entity: Entity) -> JsonObject:
        """Return the fields of one entity."""
        graph, groups = self.graph, alias_groups(self.graph, entity.id)
        names = list(map(to_american, (entity.name, *groups.exact, *groups.short)))
        is_demoted = is_narrower(entity) or entity.facts.get("family") == MAINSTREAM
        related = map(to_american, (*related_names(graph, entity), *groups.near))
        return {
            "type": entity.type,
            "kind": kind_of(entity) or [],
            "ids": searchable_ids(graph, entity),
            "owner": owner_ids(entity),
            "keys": list(dict.fromkeys(self._keys(entity))),
            "demoted_names" if is_demoted else "names": names,
            "spelling": names,
            "display_name": names[0],
            "british": _british_words(names),
            "related": list(dict.fromkeys(related if is_demoted else (*names, *related))),
            "joined": list(map(to_american, neighbor_names(graph, entity))),
            "family": entity.facts.get("family", []),
            "settings": solution_settings(entity),
            "groupings": [member.grouping.slug for member in graph.groupings.get(entity.id, ())],
            "description": to_american(" ".join(filter(None, _description(entity)))),
            "wording": list(map(to_american, self._wording(entity))),
        }

    def _wording(self, entity: Entity) -> Iterator[str]:
        """Yield all that content says of what helps and whom, as people would: names, phrases, sides and texts."""
        if entity.type not in WORD_TYPES or (is_narrower(entity) and not entity.plain):
            return
        graph, groups = self.graph, alias_groups(self.graph, entity.id)
        yield from (entity.name, *groups.exact, *groups.short, *groups.near)
        yield from filter(None, (entity.short, entity.plain))
        yield from graph.body_parts.get(entity.id, ())
        yield from graph.signs.get(entity.id, ())
        yield from (word for row in graph.guidance.sides_of_need.get(entity.id, ()) for word in row.words)
        yield from (words for row in graph.wordings.get(entity.id, ()) for words in row.words)

    def _keys(self, entity: Entity) -> Iterator[str]:
        """Yield the keys of ids, codes and names, and of the names by which a part of a query means the entity."""
        groups = alias_groups(self.graph, entity.id)
        yield from map(exact_keys.id_key, searchable_ids(self.graph, entity))
        yield from _code_keys(entity)
        for text in (entity.name, *groups.exact, *groups.short, *groups.hidden):
            yield exact_keys.NAME + exact_keys.name_form(tokens(text))
        yield from map(exact_keys.letters_key, (entity.name, *groups.exact, *groups.short))
        yield from self._all_mentions(entity, exact_keys.MENTION)
        for text in groups.exact if entity.type in SENTENCE_TYPES else ():
            bases = content_bases(tokens(text))
            if 1 < len(bases) <= MAX_KEYWORDS:
                yield exact_keys.keyword_key(bases)
        for word, _ in self.graph.guidance.words(entity):
            yield exact_keys.SIDE + exact_keys.name_form(tokens(word))
        yield from self._keys_of_relatives(entity)

    def _keys_of_relatives(self, entity: Entity) -> Iterator[str]:
        """Yield names of narrower conditions, of body parts and events, and of the needs of a solution."""
        graph = self.graph
        for condition in self.inheritors.get(entity.id, ()):
            for text in (graph.nodes[condition].name, *alias_groups(graph, condition).exact):
                yield exact_keys.NARROWER + exact_keys.name_form(tokens(text))
        for word in graph.body_parts.get(entity.id, ()):
            yield exact_keys.BODY_PART + exact_keys.name_form(tokens(word))
        yield from (exact_keys.sign_key(content_bases(tokens(word))) for word in graph.signs.get(entity.id, ()))
        if entity.type == "solution":
            for word in graph.guidance.opposed_words(entity.id):
                yield exact_keys.OPPOSED + exact_keys.name_form(tokens(word))
            for need in usual_needs(graph, entity):
                yield from self._all_mentions(graph.nodes[need], exact_keys.NEED)
            for setting, owners in self.first_choices.get(entity.id, {}).items():
                for owner in owners:
                    yield from self._all_mentions(graph.nodes[owner], exact_keys.FIRST_CHOICES[setting])

    def _all_mentions(self, entity: Entity, prefix: str) -> Iterator[str]:
        groups = alias_groups(self.graph, entity.id)
        for text in (entity.name, *_parts(entity), *groups.exact, *groups.hidden):
            yield from self._mentions(entity, text, prefix)

    def _mentions(self, entity: Entity, text: str, prefix: str) -> Iterator[str]:
        """Yield the key under which a name may be a part of a query.

        Names of firms and of products for everybody are common words ("open office"). A word in capitals that is also
        a common English word counts only in capitals: "DOORS" is a syndrome.
        """
        words = tokens(text)
        if entity.type == "vendor" or entity.facts.get("family", ASSISTIVE) != ASSISTIVE or not words:
            return
        if len(words) == 1 and not self._is_clear_word(entity, words[0]):
            if entity.type == "occupation" and prefix == exact_keys.MENTION:
                yield exact_keys.JOB + exact_keys.name_form(words)
            return
        typed = WORD.findall(text)
        is_cased = any(map(is_common_abbreviation, typed))
        form = exact_keys.cased_form(typed, words) if is_cased and len(typed) == len(words) else None
        yield prefix + (form or exact_keys.name_form(words))

    def _is_clear_word(self, entity: Entity, word: str) -> bool:
        if entity.type == "occupation":
            return singularize(word) not in self.other_words and len(word) >= MIN_TITLE_LETTERS
        return entity.type in WORD_TYPES


def _first_choices(graph: Graph) -> Mapping[str, Mapping[SettingName, Sequence[str]]]:
    """Return what the editors put each solution first for, by setting.

    In a setting, choices without settings count only for what has no choices for that setting.
    """
    of_owner: defaultdict[str, list[FirstChoice]] = defaultdict(list)
    for choice in graph.first_choices:
        of_owner[choice.need].append(choice)
    found: defaultdict[str, defaultdict[SettingName, list[str]]] = defaultdict(lambda: defaultdict(list))
    for owner, choices in of_owner.items():
        anywhere = [choice for choice in choices if not choice.settings]
        for setting in SETTINGS:
            in_setting = [choice for choice in choices if setting in choice.settings] or anywhere
            for choice in in_setting:
                if choice.strength >= MIN_STRENGTH:
                    found[choice.solution][setting].append(owner)
    return found


def hidden_names(graph: Graph) -> dict[str, str]:
    """Return the names that are never shown, as a release stores them: their form, and what is shown instead."""
    shown: dict[str, str] = {}
    for entity in graph.nodes.values():
        for text in alias_groups(graph, entity.id).hidden:
            shown.setdefault(exact_keys.name_form(tokens(text)), entity.name)
    return shown


def _british_words(names: Iterable[str]) -> list[str]:
    """Return the British spellings of words in names, for completion: "haem" is not yet a word that could be folded."""
    words = dict.fromkeys(word for text in names for word in tokens(text))
    return [spelling for word in words for spelling in british(word)]


def _code_keys(entity: Entity) -> Iterator[str]:
    for kind, prefixes in CODE_PREFIXES.items():
        for code in entity.facts.get(kind, "").split(SEPARATOR):
            bare = code.removeprefix(DOID_PREFIX)
            written = [f"{prefix}{bare}" for prefix in prefixes if code]
            yield from (exact_keys.code_key(one) for one in written if not one.isdigit() or len(one) >= MIN_DIGITS)


def _parts(entity: Entity) -> list[str]:
    """Return the parts of a need's name that are names by themselves."""
    return name_parts(entity.name) if entity.type in NEED_TYPES else []


def _description(entity: Entity) -> tuple[str, ...]:
    """Return the text about an entity, with its name; a narrower condition matches only by its names."""
    if is_narrower(entity):
        return ()
    return entity.name, entity.short, entity.plain, entity.long, entity.facts.get("category", "")


def id_forms(entity: Entity) -> list[str]:
    """Return every id of an entity within its type: its key, its slug, and its other code."""
    doid = filter(None, [entity.facts.get("doid")])
    return list(dict.fromkeys((entity.id.partition(":")[2], entity.slug, *_soc_group(entity), *doid)))


def owner_ids(entity: Entity) -> list[str]:
    """Return every id of an entity with its type: `type:key`, `type:slug`."""
    return [f"{entity.type}:{form}" for form in id_forms(entity)]


def retired_ids(graph: Graph, node: str) -> list[str]:
    """Return the ids that lead to an entity, with and without type."""
    retired = [old for old, new in graph.redirects.items() if new == node]
    return [form for old in retired for form in (old, old.partition(":")[2])]


def searchable_ids(graph: Graph, entity: Entity) -> list[str]:
    """Return what search accepts as an id."""
    return [*owner_ids(entity), *id_forms(entity), *retired_ids(graph, entity.id)]


def _soc_group(entity: Entity) -> list[str]:
    """Return the SOC code of an occupation that covers the entire group: 15-1252 for 15-1252.00."""
    code, suffix, rest = entity.id.partition(":")[2].partition(GROUP_SUFFIX)
    return [code] if entity.type == "occupation" and suffix and not rest else []


def related_names(graph: Graph, entity: Entity) -> Iterator[str]:
    """Yield the names of what an entity is for, nearest first.

    A solution matches the limitations and functions it is listed for, a product its solutions, a condition its
    groupings ("other health impairment"). Aliases of these are left out: "math anxiety" is not "anxiety".
    """
    if entity.type == "solution":
        yield from (graph.nodes[need].name for need in usual_needs(graph, entity))
    elif entity.type in ("disability", "limitation"):
        for member in graph.groupings.get(entity.id, ()):
            yield from (member.grouping.name, *member.grouping.aliases)
    elif entity.type == "product" and entity.facts.get("family") != MAINSTREAM:
        yield from (graph.nodes[edge.target].name for edge in graph.edges_named(entity.id, "implements"))


def usual_needs(graph: Graph, solution: Entity) -> list[str]:
    """Return the few needs for which a solution is usual at work; for one only for school, all of its needs."""
    needs = [
        edge
        for edge in graph.edges_named(solution.id, "recommended_for")
        if graph.nodes[edge.target].type in NEED_TYPES and edge.basis != "inherited"
    ]
    if WORK not in solution.facts.get("settings", WORK):
        return [edge.target for edge in needs][:MAX_NEEDS]
    at_work = [edge for edge in needs if not graph.school.is_only_for_school(edge.target, solution.id, graph.listings)]
    return [edge.target for edge in at_work[:MAX_NEEDS] if edge.weight >= MIN_LISTING_SHARE]


def neighbor_names(graph: Graph, entity: Entity) -> list[str]:
    """Return the names of neighbors that count only beside a type hint: alone they would match almost any query.

    For a vendor its products and their solutions ("who sells hearing loops"), for a condition its limitations
    ("conditions that cause fatigue"), for a limitation or function its conditions ("limitations of arthritis"), for an
    occupation what it requires ("jobs that require standing").
    """
    if entity.type == "occupation":
        return sorted(graph.nodes[node].name for node in _requirements(graph, entity.id))
    return sorted({name for node in _neighbors(graph, entity) for name in _names(graph, node)})


def _neighbors(graph: Graph, entity: Entity) -> Iterator[str]:
    if entity.type == "vendor":
        for edge in graph.edges_named(entity.id, "sells"):
            yield edge.target
            yield from (solution.target for solution in graph.edges_named(edge.target, "implements"))
    elif not is_narrower(entity):  # these match only by their names, and thousands inherit the same limitations
        for name in STATED_EDGES.get(entity.type, ()):
            targets = (edge.target for edge in graph.edges_named(entity.id, name) if edge.basis != "inherited")
            yield from (target for target in targets if not is_narrower(graph.nodes[target]))


def _requirements(graph: Graph, occupation: str) -> set[str]:
    """Return the abilities that an occupation requires, and the limitations that limit several of them."""
    abilities = {edge.target for edge in graph.edges_named(occupation, "requires")}
    limited: defaultdict[str, float] = defaultdict(float)
    for ability in abilities:
        for edge in graph.edges_named(ability, "limited_by"):
            limited[edge.target] += edge.weight
    return abilities | {limitation for limitation, weight in limited.items() if weight >= MIN_LIMITED_ABILITIES}


def _names(graph: Graph, node: str) -> Iterator[str]:
    yield graph.nodes[node].name
    yield from (alias.text for alias in alias_groups(graph, node).shown)
