"""One word is asked for without the tiers that find the same again: what is found is the same, in the same order."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from worlds import MAPPINGS, WORLD, plan_of

from api import queries
from api.prepared import begins
from api.queries import Search
from api.words import WORD, squeeze
from indexer.release import Releases
from indexer.sources import read
from indexer.synonyms import read_rules
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch

    from indexer.rows import Content

ALIAS = "akg-one-word"
REPLACED = "doodad => screen software\n"  # "Screen Magnification Software" holds the two apart
Body = dict[str, Any]


@pytest.fixture(scope="module")
def content() -> Content:
    return read(WORLD, read_vocabulary(MAPPINGS))


@pytest.fixture(scope="module")
def built(client: OpenSearch, content: Content, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """A release with a rule more than the shipped ones. Its words: those of all names, and what rules are about."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "replaced.txt").write_text(REPLACED)
    rules = (*read_rules(MAPPINGS / "synonyms"), *read_rules(folder))
    Releases(client, ALIAS).build(plan_of(WORLD, rules), datetime.now(UTC), lambda _: None)
    names = [*(one.name for one in content.entities), *(one.text for one in content.aliases)]
    said = [word for name in names for word in WORD.findall(name)]
    ruled = [given for rule in rules for given in rule.given]
    yield sorted({word.lower() for word in (*said, *ruled) if word.isascii() and WORD.fullmatch(word)})
    client.indices.delete(index=f"{ALIAS}-*")


def found(client: OpenSearch, body: Body) -> list[tuple[str, str]]:
    """The card and the best tier of each hit, in order."""
    hits = client.search(index=ALIAS, body=body)["hits"]["hits"]
    return [(hit["fields"]["card"][0], min(queries.tiers_of(hit), key=queries.TIERS.index)) for hit in hits]


def test_the_same_is_found_in_the_same_order(
    client: OpenSearch, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {word: queries.search_body(Search(word, limit=100)) for word in built}
    monkeypatch.setattr(queries, "_of_one_word", dict)
    whole = {word: queries.search_body(Search(word, limit=100)) for word in built}
    told = {word: found(client, body) for word, body in asked.items()}
    assert told == {word: found(client, body) for word, body in whole.items()}
    assert sum(map(bool, told.values())) > len(told) // 4
    assert any(best == "words" for _, best in told["doodad"])


def test_names_begin_as_they_are_spelled(client: OpenSearch, built: list[str], content: Content) -> None:
    assert built
    keys = {squeeze(entity.name) for entity in content.entities}
    for key in {key[:length] for key in keys for length in (1, 4, 20)}:
        ready, letters = begins("name", key), {"prefix": {"name.key": key}}
        counts = [client.count(index=ALIAS, body={"query": query})["count"] for query in (ready, letters)]
        assert counts[0] == counts[1] > 0
