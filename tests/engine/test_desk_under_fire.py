"""What readers see stays whole while the operator works, and whenever a command is killed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import killed
import pytest
import under_load
from desks import Desk, open_desk
from worlds import WORLD, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch

ROUNDS = 2  # `tests/bench/under_load.py` does ten over the shipped graph
MOMENTS = 4  # `tests/bench/killed.py` tries thirty
SEED = 7
PATIENCE = 30.0  # seconds: a busy machine is slow, not wrong


@pytest.fixture
def desk(
    tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str, request: pytest.FixtureRequest
) -> Iterator[Desk]:
    alias = f"akg-{request.node.name.replace('_', '-')[:40]}"
    yield open_desk(tmp_path_factory.mktemp("desk"), client, node_url, alias)
    client.indices.delete(index=f"{alias}-*")


async def test_searches_never_fail_nor_mix_releases(desk: Desk) -> None:
    other = under_load.other_tables(WORLD, desk.folder)
    await asyncio.to_thread(desk.run, "index", "build", "--content", str(other))  # for the first rollback

    async def operate(*words: str) -> None:
        await asyncio.to_thread(desk.run, *words)

    async with serving(desk.url, desk.releases.alias, deadline_seconds=PATIENCE) as service:
        seen = await under_load.rounds_under_load(service, ROUNDS, operate, (WORLD, other), desk.rules)
    assert seen.faults == []
    contents = seen.contents()
    assert contents["/search?query=telework"] == len((WORLD, other))  # both tables were seen,
    assert contents["/search?query=zork&spelling=off"] > 1  # and both sets of rules


def test_a_killed_command_leaves_a_valid_release_and_the_next_one_clears_up(desk: Desk) -> None:
    _, wrong = killed.moments(desk, MOMENTS, SEED, longest=1.0)
    assert wrong == []
