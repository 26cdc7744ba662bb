"""Faults around an operator's commands: a full disk, a broken download, a wrong clock, a manager that dies.

The service reads on all the while, and what was published stays published. Clocks are moved for single processes, with
libfaketime of the system's packages. Only the time of day moves: the monotonic clock, by which deadlines and leases of
one process are counted, goes on as it does on a real machine whose clock is set.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from bench.faults.faults import Fault
from bench.faults.steps import indexer_killed
from bench.faults.testbed import CHECK_SECONDS, LAST
from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.faults.testbed import Stage

FIRST = (0, False)
ONET = CHECKOUT / "tests" / "data" / "onet" / "db_30_3_csv"
DAMAGES = ("cut", "flipped", "swapped")
DISK = "cluster.routing.allocation.disk"
MARKS = (("low", 30), ("high", 20), ("flood_stage", 10))  # gigabytes that must be free, beyond what is
GIGABYTE = 1_000_000_000
FULL_SECONDS = 120.0  # until OpenSearch has noticed: it looks every ten, and removes blocks once a minute
SWAP_SECONDS = 0.1  # from one swap to the next
TWO_MONTHS_SECONDS = 60.0 * 60 * 24 * 60
LIBRARIES = ("usr/lib/*/faketime/libfaketime.so.1", "usr/lib64/faketime/libfaketime.so.1")
MISSING = "libfaketime is not installed (Debian: apt-get install libfaketime)"


def library() -> Path | None:
    """The path of libfaketime."""
    return next((path for pattern in LIBRARIES for path in Path("/").glob(pattern)), None)


@dataclass(frozen=True, slots=True)
class Clock:
    """The offset of the clock of one process, in a file that libfaketime reads at each call."""

    file: Path
    preload: Path

    def set(self, seconds: float) -> None:
        """Move the clock by so many seconds from now on."""
        draft = self.file.with_suffix(".new")
        draft.write_text(_offset(seconds) + "\n", "utf-8")
        draft.replace(self.file)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a process whose clock follows the file."""
        self.set(0.0)
        return {**self._always, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1"}

    def environment(self, seconds: float) -> dict[str, str]:
        """The environment of a process whose clock has one offset for good."""
        return {**self._always, "FAKETIME": _offset(seconds)}

    @property
    def _always(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.preload), "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


def _offset(seconds: float) -> str:
    return f"{seconds:+.0f}s" if seconds else "+0"


def movable_clock(folder: Path) -> Clock:
    """The clock of this run; AssertionError where the machine has no way to move one."""
    preload = library()
    assert preload is not None, MISSING
    return Clock(folder / "clock", preload)


async def back_to_the_last(stage: Stage) -> None:
    """Publish again the release that was live when the faults began."""
    if stage.checker.live != {stage.versions[LAST]}:
        stage.expect_success(await stage.build(LAST), "a build after it")


async def disk_full(stage: Stage) -> None:
    """No node has as much free disk as the engine wants: it takes no more writes. Then it has again."""
    free = shutil.disk_usage(stage.workspace.folder).free
    marks = {f"{DISK}.watermark.{name}": f"{free + more * GIGABYTE}b" for name, more in MARKS}
    stage.breaks("the disks of all nodes are said to be full")
    cluster = stage.cluster
    cluster.settings({f"{DISK}.threshold_enabled": True, "cluster.info.update.interval": "10s", **marks})
    blocked = await asyncio.to_thread(cluster.wait_for, partial(_blocked, stage), "write blocks", FULL_SECONDS)
    stage.notes.append(f"writes were blocked after {blocked:.0f} s")
    ended = await stage.build(FIRST)
    stage.insist(bool(ended.code), "a build on full disks ended as if all were well")
    stage.expect_no_traceback(ended, "a build on full disks")
    stage.notes.append(f"a build on full disks: “{' '.join(ended.output.split())[-200:]}”")
    stage.mends()
    cluster.settings({f"{DISK}.watermark.{name}": f"{size}b" for (name, _), size in zip(MARKS, (3, 2, 1), strict=True)})
    opened = await asyncio.to_thread(cluster.wait_for, lambda: not _blocked(stage), "no write blocks", FULL_SECONDS)
    stage.notes.append(f"writes were let in again after {opened:.0f} s")
    cluster.settings(dict.fromkeys((*marks, f"{DISK}.threshold_enabled", "cluster.info.update.interval")))
    stage.expect_success(await stage.build(FIRST), "a build on disks with room")
    await back_to_the_last(stage)


def _blocked(stage: Stage) -> bool:
    """Whether the engine has put its flood-stage block on an index, or lets none be made."""
    found = stage.cluster.ask("/_all/_settings/index.blocks.read_only_allow_delete?expand_wildcards=all")
    given = stage.cluster.ask("/_cluster/settings?flat_settings=true")
    shut = any(given[kind].get("cluster.blocks.create_index") == "true" for kind in ("persistent", "transient"))
    return shut or any(one["settings"] for one in found.values())


async def manager_killed_in_swap(stage: Stage) -> None:
    """The node that leads the cluster dies while a release is built and published."""
    manager = await asyncio.to_thread(stage.cluster.manager)
    usual = await asyncio.to_thread(stage.workspace.run, "index", "build", "--dry-run")
    building = asyncio.create_task(stage.build(FIRST))
    await asyncio.sleep(usual.seconds + stage.chance.uniform(0, 2) * usual.seconds)
    stage.breaks(f"killed {manager.name}, which leads the cluster, {'after' if building.done() else 'during'} a build")
    stage.cluster.kill(manager)
    ended = await building
    stage.notes.append(
        "the build went through" if not ended.code else f"the build said “{ended.output[-200:].strip()}”"
    )
    stage.expect_no_traceback(ended, "the build")
    if ended.code:
        await _whatever_is_live(stage)
    stage.mends()
    await asyncio.to_thread(stage.cluster.restart, manager)
    await asyncio.to_thread(stage.cluster.await_whole)
    await back_to_the_last(stage)


async def _whatever_is_live(stage: Stage) -> None:
    """A build that failed may have published all the same, if the answer to its last call was lost."""
    meta = await asyncio.to_thread(stage.releases.live_metadata)
    if meta is not None:
        stage.checker.live.clear()
        stage.checker.live.add((meta["data_version"], meta["synonyms_version"]))
    await asyncio.sleep(CHECK_SECONDS)


async def releases_swapped(stage: Stage) -> None:
    """Another release goes live several times a second: with the rule and without it."""
    with_rule = LAST[0], True
    stage.expect_success(await stage.operate(with_rule, stage.workspace.apply), "an apply")
    names = [one.index for one in await asyncio.to_thread(stage.releases.complete_releases) if not one.live]
    newest = await asyncio.to_thread(stage.releases.live_index)
    live, other = newest, names[0]
    stage.checker.live |= {stage.versions[LAST], stage.versions[with_rule]}
    stage.breaks("releases take turns")
    swaps, ends = 0, time.monotonic() + stage.options.seconds
    while time.monotonic() < ends:
        live, other = other, live
        await asyncio.to_thread(stage.releases.publish, live)
        swaps += 1
        await asyncio.sleep(SWAP_SECONDS)
    stage.mends()
    stage.notes.append(f"{swaps} swaps")
    await asyncio.to_thread(stage.releases.publish, newest)  # what is live at the end is the newest again
    stage.expect_success(await stage.operate(LAST, partial(stage.workspace.run, "synonyms", "undo")), "an undo")


async def archive_corrupted(stage: Stage) -> None:
    """An archive that arrives damaged is never taken in: cut short, with bytes flipped, or another than was named."""
    folder = stage.workspace.folder / "archives"
    folder.mkdir(exist_ok=True)
    whole = folder / "onet.zip"
    with ZipFile(whole, "w", ZIP_DEFLATED) as packed:
        for path in sorted(ONET.iterdir()):
            packed.write(path, path.name)
    imports = Path(stage.workspace.settings["AKG_DATA"]) / "imports"
    stage.breaks("archives arrive damaged")
    content = whole.read_bytes()
    refused = 0
    for kind in DAMAGES:
        named = ("--sha256", hashlib.sha256(content).hexdigest()) if kind == "swapped" else ()
        with _served(_damaged(stage, kind, content)) as url:
            ended = await asyncio.to_thread(stage.workspace.run, "import", "onet", url, *named)
        refused += bool(ended.code)
        stage.insist(bool(ended.code), f"an archive that was {kind} is taken in")
        stage.expect_no_traceback(ended, f"an archive that was {kind}")
        left = [path.name for path in imports.glob("*/*.csv")] if imports.exists() else []
        stage.insist(not left, f"of an archive that was {kind} is left: {left}")
    with _served(content) as url:
        stage.expect_success(await asyncio.to_thread(stage.workspace.run, "import", "onet", url), "the whole archive")
    await asyncio.to_thread(stage.workspace.run, "import", "remove", "onet")
    stage.notes.append(f"{refused} of {len(DAMAGES)} damaged archives were refused, the whole one was taken")


def _damaged(stage: Stage, kind: str, content: bytes) -> bytes:
    if kind == "cut":
        return content[: stage.chance.randrange(1, len(content) - 1)]
    if kind == "flipped":
        place = stage.chance.randrange(len(content) // 4, len(content) // 2)  # within what was packed
        return content[:place] + bytes(byte ^ 0xFF for byte in content[place : place + 64]) + content[place + 64 :]
    return content + b" "


@contextmanager
def _served(content: bytes) -> Iterator[str]:
    """An address that answers with these bytes."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name the base class gives it
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/db_30_3_csv.zip"
        server.shutdown()


async def clock_jumped(stage: Stage) -> None:
    """The clock of a service jumps months ahead and back, and that of a build is an hour slow."""
    clock = movable_clock(stage.workspace.folder)
    stage.breaks("the clock of the service “keeping” jumps")
    for seconds in (TWO_MONTHS_SECONDS, -TWO_MONTHS_SECONDS, 0.0):
        clock.set(seconds)
        await asyncio.sleep(stage.options.seconds / 3)
    ended = await stage.build(FIRST, **clock.environment(-3600.0))
    stage.notes.append("a build with a slow clock " + ("fails" if ended.code else "goes live"))
    stage.expect_no_traceback(ended, "the build")
    await back_to_the_last(stage)


OPERATORS = (
    Fault("manager-killed-in-swap", "kill -9 of the manager during a build", manager_killed_in_swap, keeps=False),
    Fault("indexer-killed", "kill -9 of the indexer at each step", indexer_killed),
    Fault("disk-full", "no disk has room: writes are blocked", disk_full, keeps=False),
    Fault("releases-swapped", "another release live several times a second", releases_swapped, keeps=False),
    Fault("archive-corrupted", "downloads that arrive damaged", archive_corrupted),
    Fault("clock-jumped", "clocks jump months ahead and back", clock_jumped, keeps=False),
)
