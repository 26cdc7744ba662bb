"""Responses stay consistent while rules and releases change, and when a command is killed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bench.load import killed, under_load
from tests.support.fixture_graphs import WORLD, serving
from tests.support.operator_session import OperatorSession, open_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch

ROUNDS = 2  # `bench.load.under_load` does ten over the shipped graph
MOMENTS = 4  # `bench/load/killed.py` tries thirty
SEED = 7
DEADLINE_SECONDS = 30.0  # a busy machine may be slow


@pytest.fixture
def operator(
    tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str, request: pytest.FixtureRequest
) -> Iterator[OperatorSession]:
    alias = f"akg-{request.node.name.replace('_', '-')[:40]}"
    yield open_session(tmp_path_factory.mktemp("operator"), client, node_url, alias)
    client.indices.delete(index=f"{alias}-*")


async def test_searches_never_fail_or_mix_releases(operator: OperatorSession) -> None:
    other = under_load.other_tables(WORLD, operator.folder)
    await asyncio.to_thread(operator.run, "index", "build", "--content", str(other))  # for the first rollback

    async def operate(*words: str) -> None:
        await asyncio.to_thread(operator.run, *words)

    async with serving(operator.url, operator.releases.alias, deadline_seconds=DEADLINE_SECONDS) as service:
        seen = await under_load.rounds_under_load(service, ROUNDS, operate, (WORLD, other), operator.rules)
    assert seen.faults == []
    contents = seen.contents()
    assert contents["/search?query=telework"] == len((WORLD, other))  # both tables were seen,
    assert contents["/search?query=zork&spelling=off"] > 1  # and both sets of rules


def test_a_killed_command_leaves_a_valid_release_and_the_next_one_cleans_up(operator: OperatorSession) -> None:
    _, wrong = killed.moments(operator, MOMENTS, SEED, longest=1.0)
    assert wrong == []
