"""Faults of processes and connections, each as a function of the testbed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench.faults.testbed import ALIAS, Testbed
from bench.proxies import Mode
from schema.release_names import index_alias

Action = Callable[["Testbed"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault with its expectations.

    `survivable`: no read may fail after its retry. `counts_from_start`: recovery time counts from the start of the
    fault, else from its end. `keeps_releases`: the fault builds no release, so no old release is pruned.
    """

    name: str
    description: str
    action: Action
    survivable: bool = True
    counts_from_start: bool = True
    keeps_releases: bool = True


def hit_node(state: str, *, is_manager: bool) -> Action:
    """Return an action that kills or pauses the cluster manager, or another node with a shard of the live release."""

    async def action(testbed: Testbed) -> None:
        cluster = testbed.cluster
        manager = await asyncio.to_thread(cluster.manager)
        (index,) = await asyncio.to_thread(cluster.request, f"/_alias/{index_alias(ALIAS)}")
        candidates = await asyncio.to_thread(cluster.nodes_with_shards, index)
        node = manager if is_manager else testbed.rng.choice([node for node in candidates if node is not manager])
        role = "the cluster manager" if is_manager else "with a shard of the live release"
        disrupt, restore = (cluster.kill, cluster.restart) if state == "killed" else (cluster.pause, cluster.resume)
        testbed.begin_fault(f"{state} {node.name}, {role}")
        disrupt(node)
        await testbed.wait()
        testbed.end_fault()
        await asyncio.to_thread(restore, node)

    return action


async def service_killed(testbed: Testbed) -> None:
    """Kill one of two services; clients retry on the other."""
    service = testbed.rng.choice(testbed.services)
    testbed.begin_fault(f"killed the service “{service.name}”")
    service.kill()
    await testbed.wait()
    testbed.end_fault()
    await asyncio.to_thread(service.start)
    await asyncio.to_thread(service.await_ready)


def set_connections(mode: Mode, *, to_all: bool = False) -> Action:
    """Return an action that sets the mode of the proxy of one node or of all nodes."""

    async def action(testbed: Testbed) -> None:
        if to_all:
            proxies, note = testbed.proxies, f"connections to all nodes: {mode}"
        else:
            number = testbed.rng.randrange(len(testbed.proxies))
            proxies, note = [testbed.proxies[number]], f"connection to {testbed.cluster.nodes[number].name}: {mode}"
        testbed.begin_fault(note)
        for proxy in proxies:
            proxy.set_mode(mode)
        await testbed.wait()
        testbed.end_fault()
        for proxy in proxies:
            proxy.set_mode(Mode.OPEN)

    return action


def _unsurvivable(name: str, description: str, mode: Mode) -> Fault:
    return Fault(name, description, set_connections(mode, to_all=True), survivable=False, counts_from_start=False)


PROCESSES = (
    Fault("data-node-killed", "kill -9 of a node with a live shard", hit_node("killed", is_manager=False)),
    Fault("manager-killed", "kill -9 of the cluster manager", hit_node("killed", is_manager=True)),
    Fault("data-node-paused", "SIGSTOP of a node with a live shard", hit_node("paused", is_manager=False)),
    Fault("manager-paused", "SIGSTOP of the cluster manager", hit_node("paused", is_manager=True)),
    Fault("service-killed", "kill -9 of one of two services", service_killed, counts_from_start=False),
)
CONNECTIONS = (
    Fault("connection-cut", "no connection to one node", set_connections(Mode.CUT)),
    Fault("connection-silent", "one node accepts connections and never responds", set_connections(Mode.SILENT)),
    Fault("connection-delayed", "0.3 s more in each direction to one node", set_connections(Mode.DELAYED)),
    Fault("connection-flaky", "a tenth of the responses of one node are truncated", set_connections(Mode.FLAKY)),
    _unsurvivable("all-connections-cut", "no connection to any node", Mode.CUT),
    _unsurvivable("all-connections-silent", "all nodes accept connections and never respond", Mode.SILENT),
    # Three sequential requests to OpenSearch exceed the deadline of the service.
    _unsurvivable("all-connections-delayed", "0.3 s more in each direction to all nodes", Mode.DELAYED),
)
