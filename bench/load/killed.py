"""Operator commands killed at random moments: is what readers see still whole, and does the next command clear up?

    python -m bench.load.killed --moments 30

needs a running node (`akg node start`). It works behind an alias of its own and removes it at the end. The engine tests
do the same at a few moments.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from opensearchpy import OpenSearch

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "engine"))

from tests.support.operator_session import OperatorSession, open_session  # noqa: E402 - found by the line above

if TYPE_CHECKING:
    from collections.abc import Iterable

CHILD = "import sys; from akg.cli import app; print('ready', flush=True); app(sys.argv[1:])"
COMMANDS = (
    ("synonyms", "apply", "--accept"),
    ("index", "build"),
    ("synonyms", "undo"),
    ("index", "rollback"),
    ("synonyms", "preview"),
    ("index", "prune", "--keep", "1"),
)
LONGEST = 3.0  # seconds after its start by which every command has ended on a quiet machine


def kill_one(operator: OperatorSession, words: Iterable[str], seconds: float) -> bool:
    """Run a command and kill it so long after its first word; whether it was still running."""
    command = [sys.executable, "-c", CHILD, *words]
    environ = {**os.environ, **operator.environ}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=environ, cwd=CHECKOUT, **pipes) as process:  # type: ignore[call-overload]
        process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return bool(process.returncode == -signal.SIGKILL)


def faults(operator: OperatorSession) -> list[str]:
    """What is wrong with what readers see, now."""
    releases = operator.releases
    live = releases.live_indices()
    if len(live) != 1:
        return [f"{len(live)} live indices: {live}"]
    if live[0] not in {release.index for release in releases.complete_releases()}:
        return [f"{live[0]} is live and not complete"]
    found = releases.client.search(index=releases.alias, body={"query": {"match": {"name": "telework"}}})
    return [] if found["hits"]["hits"] else ["the live release does not find Telework"]


def remains(operator: OperatorSession) -> list[str]:
    """Indices of the alias that are no complete releases."""
    complete = {release.index for release in operator.releases.complete_releases()}
    return [index for index in operator.state()[1] if index not in complete]


def moments(
    operator: OperatorSession, number: int, seed: int, longest: float = LONGEST
) -> tuple[Counter[str], list[str]]:
    """Kill so many commands; how many of each were caught at work, and everything that was wrong."""
    chance = random.Random(seed)  # noqa: S311 - moments, no secret
    first = operator.rules.read_text("utf-8")
    caught: Counter[str] = Counter()
    wrong = []
    for turn in range(number):
        words = COMMANDS[turn % len(COMMANDS)]
        operator.rules.write_text(f"{first}zork{turn} => zork{turn}, telework\n", "utf-8")
        seconds = chance.uniform(0, longest)
        caught[" ".join(words[:2])] += kill_one(operator, words, seconds)
        label = f"{' '.join(words)} killed after {seconds:.2f} s"
        wrong += [f"{label}: {fault}" for fault in faults(operator)]
        operator.run("index", "prune")  # the next command
        wrong += [f"{label}: {one} is left" for one in remains(operator)]
        wrong += [f"{label}, then cleared up: {fault}" for fault in faults(operator)]
    operator.rules.write_text(first, "utf-8")
    return caught, wrong


def main() -> int:
    """Run it over a small world, and print a report."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--moments", type=int, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--url", default="http://127.0.0.1:9200")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        client = OpenSearch(hosts=[chosen.url], timeout=60)
        operator = open_session(Path(name), client, chosen.url, "akg-killed")
        caught, wrong = moments(operator, chosen.moments, chosen.seed)
        client.indices.delete(index="akg-killed-*")
    print(f"{chosen.moments} commands, {caught.total()} killed at work: {dict(caught)}")
    print("\n".join((f"{len(wrong)} faults", *wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
