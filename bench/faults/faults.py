"""What is done to processes and to connections, each as a function of the stage."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.faults.tcp_proxy import Mode
from bench.faults.testbed import ALIAS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.faults.cluster import Node
    from bench.faults.tcp_proxy import Line
    from bench.faults.testbed import Stage

HOLDS, LEADS = "which holds the live release", "which leads the cluster"

Deed = Callable[["Stage"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    `survived`: reads must not fail when they are tried once more. `from_the_start`: recovery is counted from the fault,
    else from when its cause is gone. `keeps`: no release is built, so that none goes when the oldest are pruned.
    """

    name: str
    says: str
    deed: Deed
    survived: bool = True
    from_the_start: bool = True
    keeps: bool = True


async def _two_kinds(stage: Stage) -> tuple[Node, list[Node]]:
    """The manager, and the other nodes that hold the live release."""
    manager = await asyncio.to_thread(stage.cluster.manager)
    (index,) = await asyncio.to_thread(stage.cluster.ask, f"/_alias/{ALIAS}")
    holders = await asyncio.to_thread(stage.cluster.holders, index)
    return manager, [node for node in holders if node is not manager]


async def data_node_killed(stage: Stage) -> None:
    """The kernel ends a node that holds the live release and leads nothing."""
    _, holders = await _two_kinds(stage)
    await _killed(stage, stage.chance.choice(holders), HOLDS)


async def manager_killed(stage: Stage) -> None:
    """The kernel ends the node that leads the cluster."""
    manager, _ = await _two_kinds(stage)
    await _killed(stage, manager, LEADS)


async def _killed(stage: Stage, node: Node, role: str) -> None:
    await _struck(stage, node, f"killed {node.name}, {role}", stage.cluster.kill, stage.cluster.restart)


async def data_node_paused(stage: Stage) -> None:
    """A node that holds the live release stands still, with all its connections open."""
    _, holders = await _two_kinds(stage)
    await _paused(stage, stage.chance.choice(holders), HOLDS)


async def manager_paused(stage: Stage) -> None:
    """The node that leads the cluster stands still."""
    manager, _ = await _two_kinds(stage)
    await _paused(stage, manager, LEADS)


async def _paused(stage: Stage, node: Node, role: str) -> None:
    await _struck(stage, node, f"paused {node.name}, {role}", stage.cluster.pause, stage.cluster.resume)


async def _struck(
    stage: Stage, node: Node, said: str, strike: Callable[[Node], object], mend: Callable[[Node], object]
) -> None:
    stage.breaks(said)
    strike(node)
    await stage.lasts()
    stage.mends()
    await asyncio.to_thread(mend, node)


async def service_killed(stage: Stage) -> None:
    """The kernel ends one of two services; clients turn to the other."""
    service = stage.chance.choice(stage.services)
    stage.breaks(f"killed the service “{service.name}”")
    service.kill()
    await stage.lasts()
    stage.mends()
    await asyncio.to_thread(service.start)
    await asyncio.to_thread(service.await_ready)


def one_line(mode: Mode) -> Deed:
    """The connection to one node behaves like this."""

    async def deed(stage: Stage) -> None:
        place = stage.chance.randrange(len(stage.lines))
        said = f"the line to {stage.cluster.nodes[place].name} is {mode}"
        await _turned(stage, stage.lines[place : place + 1], mode, said)

    return deed


def all_lines(mode: Mode) -> Deed:
    """The connections to all nodes behave like this."""

    async def deed(stage: Stage) -> None:
        await _turned(stage, stage.lines, mode, f"the lines to all nodes are {mode}")

    return deed


async def _turned(stage: Stage, lines: Sequence[Line], mode: Mode, said: str) -> None:
    stage.breaks(said)
    for line in lines:
        line.turn(mode)
    await stage.lasts()
    stage.mends()
    for line in lines:
        line.turn(Mode.OPEN)


PROCESSES = (
    Fault("data-node-killed", "kill -9 of a node that holds the release", data_node_killed),
    Fault("manager-killed", "kill -9 of the node that leads the cluster", manager_killed),
    Fault("data-node-paused", "SIGSTOP of a node that holds the release", data_node_paused),
    Fault("manager-paused", "SIGSTOP of the node that leads the cluster", manager_paused),
    Fault("service-killed", "kill -9 of one of two services", service_killed, from_the_start=False),
)
LINES = (
    Fault("line-cut", "no connection to one node", one_line(Mode.CUT)),
    Fault("line-silent", "one node is reached and never heard of", one_line(Mode.SILENT)),
    Fault("line-delayed", "0.3 s more each way to one node", one_line(Mode.DELAYED)),
    Fault("line-flaky", "a tenth of the answers of one node break off", one_line(Mode.FLAKY)),
    Fault("lines-cut", "no connection to any node", all_lines(Mode.CUT), survived=False, from_the_start=False),
    Fault("lines-silent", "no node is heard of", all_lines(Mode.SILENT), survived=False, from_the_start=False),
    Fault(
        "lines-delayed",
        "0.3 s more each way to all nodes",
        all_lines(Mode.DELAYED),
        survived=False,  # three questions to the engine in a row take longer than a request may
        from_the_start=False,
    ),
)
