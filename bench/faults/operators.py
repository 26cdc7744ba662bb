"""Faults during operator commands: a full disk, a damaged download, a wrong clock, a killed cluster manager.

Clients send requests throughout, and published releases stay published. Clocks are moved for single processes with
libfaketime, a system package. Only the time of day moves: the monotonic clock, which measures deadlines and leases,
continues as on a real machine whose clock is set.
"""

import asyncio
import hashlib
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from akg.console import GIGABYTE
from bench.faults.faults import Fault
from bench.faults.steps import indexer_killed
from bench.faults.testbed import BASE_RELEASE, CHECK_SECONDS, Testbed
from tests.support.fixture_graphs import CHECKOUT

OTHER_RELEASE = (0, False)
ONET = CHECKOUT / "tests" / "data" / "onet" / "db_30_3_csv"
DAMAGE_KINDS = ("cut", "flipped", "swapped")
DISK = "cluster.routing.allocation.disk"
WATERMARKS = (("low", 30), ("high", 20), ("flood_stage", 10))  # gigabytes above the actual free space
FULL_SECONDS = 120.0  # OpenSearch checks disks every 10 s and removes blocks every 60 s
SWAP_SECONDS = 0.1  # between two swaps
TWO_MONTHS_SECONDS = 60.0 * 60 * 24 * 60
LIBRARIES = ("usr/lib/*/faketime/libfaketime.so.1", "usr/lib64/faketime/libfaketime.so.1")
MISSING = "libfaketime is not installed (Debian: apt-get install libfaketime)"


def library() -> Path | None:
    """Return the path of libfaketime, if installed."""
    return next((path for pattern in LIBRARIES for path in Path("/").glob(pattern)), None)


@dataclass(frozen=True, slots=True)
class Clock:
    """The offset of the clock of one process, in a file that libfaketime reads at each call."""

    file: Path
    preload: Path

    def set(self, seconds: float) -> None:
        draft = self.file.with_suffix(".new")
        draft.write_text(_offset(seconds) + "\n", "utf-8")
        draft.replace(self.file)

    @property
    def settings(self) -> dict[str, str]:
        """Set the offset to 0 and return the environment of a process whose clock follows the file."""
        self.set(0.0)
        return {**self._base_environment, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1"}

    def environment(self, seconds: float) -> dict[str, str]:
        """Return the environment of a process whose clock has a constant offset."""
        return {**self._base_environment, "FAKETIME": _offset(seconds)}

    @property
    def _base_environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.preload), "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


def _offset(seconds: float) -> str:
    return f"{seconds:+.0f}s" if seconds else "+0"


def movable_clock(folder: Path) -> Clock:
    """Return the clock of this run; raise AssertionError if libfaketime is not installed."""
    preload = library()
    assert preload is not None, MISSING
    return Clock(folder / "clock", preload)


async def restore_base_release(testbed: Testbed) -> None:
    """Publish the base release again if another release is live."""
    if testbed.checker.live != {testbed.versions[BASE_RELEASE]}:
        testbed.expect_success(await testbed.build(BASE_RELEASE), "the build of the base release")


async def disk_full(testbed: Testbed) -> None:
    """Raise the disk watermarks above the free space, so that OpenSearch blocks writes; then reset them."""
    free = shutil.disk_usage(testbed.workspace.folder).free
    watermarks = {f"{DISK}.watermark.{name}": f"{free + more * GIGABYTE}b" for name, more in WATERMARKS}
    testbed.begin_fault("watermarks above the free disk space of all nodes")
    cluster = testbed.cluster
    cluster.update_settings({f"{DISK}.threshold_enabled": True, "cluster.info.update.interval": "10s", **watermarks})
    blocked = await asyncio.to_thread(cluster.wait_for, partial(_blocked, testbed), "write blocks", FULL_SECONDS)
    testbed.notes.append(f"writes were blocked after {blocked:.0f} s")
    result = await testbed.build(OTHER_RELEASE)
    testbed.check(bool(result.code), "a build on full disks succeeded")
    testbed.expect_no_traceback(result, "a build on full disks")
    testbed.notes.append(f"a build on full disks: “{' '.join(result.output.split())[-200:]}”")
    testbed.end_fault()
    cluster.update_settings(
        {f"{DISK}.watermark.{name}": f"{size}b" for (name, _), size in zip(WATERMARKS, (3, 2, 1), strict=True)}
    )
    opened = await asyncio.to_thread(cluster.wait_for, lambda: not _blocked(testbed), "no write blocks", FULL_SECONDS)
    testbed.notes.append(f"writes were allowed again after {opened:.0f} s")
    cluster.update_settings(dict.fromkeys((*watermarks, f"{DISK}.threshold_enabled", "cluster.info.update.interval")))
    testbed.expect_success(await testbed.build(OTHER_RELEASE), "a build with free disk space")
    await restore_base_release(testbed)


def _blocked(testbed: Testbed) -> bool:
    """Return whether an index has the flood-stage block or index creation is blocked."""
    indices = testbed.cluster.request("/_all/_settings/index.blocks.read_only_allow_delete?expand_wildcards=all")
    settings_by_kind = testbed.cluster.request("/_cluster/settings?flat_settings=true")
    no_new_index = any(
        settings_by_kind[kind].get("cluster.blocks.create_index") == "true" for kind in ("persistent", "transient")
    )
    return no_new_index or any(index["settings"] for index in indices.values())


async def manager_killed_in_swap(testbed: Testbed) -> None:
    """Kill the cluster manager while a release is built and published."""
    manager = await asyncio.to_thread(testbed.cluster.manager)
    dry_run = await asyncio.to_thread(testbed.workspace.run, "index", "build", "--dry-run")
    building = asyncio.create_task(testbed.build(OTHER_RELEASE))
    await asyncio.sleep(dry_run.seconds + testbed.rng.uniform(0, 2) * dry_run.seconds)
    testbed.begin_fault(
        f"killed {manager.name}, the cluster manager, {'after' if building.done() else 'during'} a build"
    )
    testbed.cluster.kill(manager)
    result = await building
    testbed.notes.append(
        "the build succeeded" if not result.code else f"the build failed: “{result.output[-200:].strip()}”"
    )
    testbed.expect_no_traceback(result, "the build")
    if result.code:
        await _accept_live_release(testbed)
    testbed.end_fault()
    await asyncio.to_thread(testbed.cluster.restart, manager)
    await asyncio.to_thread(testbed.cluster.await_green)
    await restore_base_release(testbed)


async def _accept_live_release(testbed: Testbed) -> None:
    """Expect the release that is live: a failed build has published it if only its last response was lost."""
    meta = await asyncio.to_thread(testbed.releases.live_metadata)
    if meta is not None:
        testbed.checker.live.clear()
        testbed.checker.live.add((meta["data_version"], meta["synonyms_version"]))
    await asyncio.sleep(CHECK_SECONDS)


async def releases_swapped(testbed: Testbed) -> None:
    """Swap two releases several times a second: with the rule and without it."""
    with_rule = BASE_RELEASE[0], True
    testbed.expect_success(await testbed.operate(with_rule, testbed.workspace.apply), "synonyms apply")
    names = [
        release.index for release in await asyncio.to_thread(testbed.releases.complete_releases) if not release.live
    ]
    newest = await asyncio.to_thread(testbed.releases.live_index)
    live, previous = newest, names[0]
    testbed.checker.live |= {testbed.versions[BASE_RELEASE], testbed.versions[with_rule]}
    testbed.begin_fault("releases are swapped")
    swaps, deadline = 0, time.monotonic() + testbed.options.seconds
    while time.monotonic() < deadline:
        live, previous = previous, live
        await asyncio.to_thread(testbed.releases.publish, live)
        swaps += 1
        await asyncio.sleep(SWAP_SECONDS)
    testbed.end_fault()
    testbed.notes.append(f"{swaps} swaps")
    await asyncio.to_thread(testbed.releases.publish, newest)  # `undo` expects the newest release to be live
    testbed.expect_success(
        await testbed.operate(BASE_RELEASE, partial(testbed.workspace.run, "synonyms", "undo")), "synonyms undo"
    )


async def archive_corrupted(testbed: Testbed) -> None:
    """Import damaged archives that must be rejected: truncated, with flipped bytes, or of another checksum."""
    folder = testbed.workspace.folder / "archives"
    folder.mkdir(exist_ok=True)
    archive = folder / "onet.zip"
    with ZipFile(archive, "w", ZIP_DEFLATED) as zip_file:
        for path in sorted(ONET.iterdir()):
            zip_file.write(path, path.name)
    imports = Path(testbed.workspace.settings["AKG_DATA"]) / "imports"
    testbed.begin_fault("damaged archives are downloaded")
    content = archive.read_bytes()
    rejected = 0
    for kind in DAMAGE_KINDS:
        checksum_option = ("--sha256", hashlib.sha256(content).hexdigest()) if kind == "swapped" else ()
        with _serve(_damaged(testbed, kind, content)) as url:
            result = await asyncio.to_thread(
                testbed.workspace.run, "import", "onet", url, "--allow-loss", *checksum_option
            )
        rejected += bool(result.code)
        testbed.check(bool(result.code), f"the import accepted an archive that was {kind}")
        testbed.expect_no_traceback(result, f"an archive that was {kind}")
        leftovers = [path.name for path in imports.glob("*/*.csv")] if imports.exists() else []
        testbed.check(not leftovers, f"the import of an archive that was {kind} left files: {leftovers}")
    with _serve(content) as url:
        testbed.expect_success(
            await asyncio.to_thread(testbed.workspace.run, "import", "onet", url, "--allow-loss"),
            "the undamaged archive",
        )
    await asyncio.to_thread(testbed.workspace.run, "import", "remove", "onet")
    testbed.notes.append(
        f"{rejected} of {len(DAMAGE_KINDS)} damaged archives were rejected, the undamaged one was accepted"
    )


def _damaged(testbed: Testbed, kind: str, content: bytes) -> bytes:
    if kind == "cut":
        return content[: testbed.rng.randrange(1, len(content) - 1)]
    if kind == "flipped":
        start = testbed.rng.randrange(len(content) // 4, len(content) // 2)  # within the compressed data
        return content[:start] + bytes(byte ^ 0xFF for byte in content[start : start + 64]) + content[start + 64 :]
    return content + b" "


@contextmanager
def _serve(content: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/db_30_3_csv.zip"
        server.shutdown()


async def clock_jumped(testbed: Testbed) -> None:
    """Move the clock of a service two months forward and back, and build with a clock that is an hour slow."""
    clock = movable_clock(testbed.workspace.folder)
    testbed.begin_fault("the clock of the service “cached” jumps")
    for seconds in (TWO_MONTHS_SECONDS, -TWO_MONTHS_SECONDS, 0.0):
        clock.set(seconds)
        await asyncio.sleep(testbed.options.seconds / 3)
    result = await testbed.build(OTHER_RELEASE, **clock.environment(-3600.0))
    testbed.notes.append("a build with a slow clock " + ("fails" if result.code else "succeeds"))
    testbed.expect_no_traceback(result, "the build")
    await restore_base_release(testbed)


OPERATORS = (
    Fault(
        "manager-killed-in-swap",
        "kill -9 of the cluster manager during a build",
        manager_killed_in_swap,
        keeps_releases=False,
    ),
    Fault("indexer-killed", "kill -9 of the indexer at each step", indexer_killed),
    Fault("disk-full", "full disks: writes are blocked", disk_full, keeps_releases=False),
    Fault("releases-swapped", "releases swapped several times a second", releases_swapped, keeps_releases=False),
    Fault("archive-corrupted", "damaged downloads", archive_corrupted),
    Fault("clock-jumped", "clocks jump two months forward and back", clock_jumped, keeps_releases=False),
)
