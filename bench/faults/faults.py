"""What is done to processes and to connections, each as a function of the stage."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.faults.testbed import ALIAS
from bench.proxies import Mode

if TYPE_CHECKING:
    from bench.faults.testbed import Stage

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


def strike_node(how: str, *, leads: bool) -> Deed:
    """Kill or pause the node that leads the cluster, or another that holds the live release; its connections stay."""

    async def deed(stage: Stage) -> None:
        cluster = stage.cluster
        manager = await asyncio.to_thread(cluster.manager)
        (index,) = await asyncio.to_thread(cluster.ask, f"/_alias/{ALIAS}")
        holders = await asyncio.to_thread(cluster.holders, index)
        node = manager if leads else stage.chance.choice([node for node in holders if node is not manager])
        role = "which leads the cluster" if leads else "which holds the live release"
        strike, mend = (cluster.kill, cluster.restart) if how == "killed" else (cluster.pause, cluster.resume)
        stage.breaks(f"{how} {node.name}, {role}")
        strike(node)
        await stage.lasts()
        stage.mends()
        await asyncio.to_thread(mend, node)

    return deed


async def service_killed(stage: Stage) -> None:
    """Kill one of two services; clients turn to the other."""
    service = stage.chance.choice(stage.services)
    stage.breaks(f"killed the service “{service.name}”")
    service.kill()
    await stage.lasts()
    stage.mends()
    await asyncio.to_thread(service.start)
    await asyncio.to_thread(service.await_ready)


def turn_lines(mode: Mode, *, every: bool = False) -> Deed:
    """Have the connection to one node, or to every node, behave like this for a while."""

    async def deed(stage: Stage) -> None:
        if every:
            lines, note = stage.lines, f"the lines to all nodes are {mode}"
        else:
            place = stage.chance.randrange(len(stage.lines))
            lines, note = [stage.lines[place]], f"the line to {stage.cluster.nodes[place].name} is {mode}"
        stage.breaks(note)
        for line in lines:
            line.turn(mode)
        await stage.lasts()
        stage.mends()
        for line in lines:
            line.turn(Mode.OPEN)

    return deed


def _unsurvived(name: str, says: str, mode: Mode) -> Fault:
    return Fault(name, says, turn_lines(mode, every=True), survived=False, from_the_start=False)


PROCESSES = (
    Fault("data-node-killed", "kill -9 of a node that holds the release", strike_node("killed", leads=False)),
    Fault("manager-killed", "kill -9 of the node that leads the cluster", strike_node("killed", leads=True)),
    Fault("data-node-paused", "SIGSTOP of a node that holds the release", strike_node("paused", leads=False)),
    Fault("manager-paused", "SIGSTOP of the node that leads the cluster", strike_node("paused", leads=True)),
    Fault("service-killed", "kill -9 of one of two services", service_killed, from_the_start=False),
)
LINES = (
    Fault("line-cut", "no connection to one node", turn_lines(Mode.CUT)),
    Fault("line-silent", "one node is reached and never heard of", turn_lines(Mode.SILENT)),
    Fault("line-delayed", "0.3 s more each way to one node", turn_lines(Mode.DELAYED)),
    Fault("line-flaky", "a tenth of the answers of one node break off", turn_lines(Mode.FLAKY)),
    _unsurvived("lines-cut", "no connection to any node", Mode.CUT),
    _unsurvived("lines-silent", "no node is heard of", Mode.SILENT),
    # Three requests to OpenSearch in a row take longer than a request may.
    _unsurvived("lines-delayed", "0.3 s more each way to all nodes", Mode.DELAYED),
)
