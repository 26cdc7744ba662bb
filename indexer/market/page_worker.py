"""The process that parses web pages and robots.txt files, which may be written to hang or crash a parser.

It reads jobs from standard input and writes results to standard output until its input ends; `page_reader.py` starts
and replaces it. The operating system ends it if a job takes too much time or memory, even without a parent.
"""

import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Literal

import orjson
import psutil
from protego import Protego

from indexer.market.page import Page, parse_page

AGENT = "AccommodationKnowledgeGraph"
LENGTH_BYTES = 4
MAX_MEMORY_BYTES = 128 * 1024**2  # of addresses, in addition to those of an idle process
MAX_DELAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Job:
    """A body to parse: a page in this charset, or a robots.txt to apply to this URL. Seconds are a whole number."""

    kind: Literal["page", "robots"]
    argument: str
    seconds: int


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What a robots.txt says about one URL."""

    is_allowed: bool
    delay_seconds: float


def page_from_json(result: bytes) -> Page:
    """Return the page that a worker parsed."""
    return Page(**{name: tuple(texts) for name, texts in orjson.loads(result).items()})


def robots_from_json(result: bytes) -> RobotsRules:
    """Return the rules that a worker parsed."""
    return RobotsRules(**orjson.loads(result))


def parse_robots(body: bytes, url: str) -> RobotsRules:
    """Apply a robots.txt to a URL."""
    rules = Protego.parse(body.decode(errors="replace"))
    delay = rules.crawl_delay(AGENT) or 0.0
    is_number = delay >= 0  # `nan` is not
    return RobotsRules(rules.can_fetch(url, AGENT), min(delay, MAX_DELAY_SECONDS) if is_number else 0.0)


def run_job(job: Job, body: bytes) -> bytes:
    """Return the result of a job as JSON."""
    return orjson.dumps(parse_page(body, job.argument) if job.kind == "page" else parse_robots(body, job.argument))


def frame(payload: bytes) -> bytes:
    """Return a payload behind its length."""
    return len(payload).to_bytes(LENGTH_BYTES) + payload


def main() -> None:
    """Run jobs until standard input ends."""
    _limit_memory()
    _write(b"")  # ready
    while header := _read(sys.stdin.buffer):
        job = Job(**orjson.loads(header))
        if hasattr(signal, "alarm"):
            signal.alarm(job.seconds)  # its default action ends the process, also inside of a C function
        result = run_job(job, _read(sys.stdin.buffer))
        if hasattr(signal, "alarm"):
            signal.alarm(0)
        _write(result)


def _write(message: bytes) -> None:
    sys.stdout.buffer.write(frame(message))
    sys.stdout.buffer.flush()


def _read(stream: BinaryIO) -> bytes:
    return stream.read(int.from_bytes(stream.read(LENGTH_BYTES)))


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415 - Windows does not have it
    except ImportError:
        return
    most = psutil.Process().memory_info().vms + MAX_MEMORY_BYTES
    with suppress(ValueError, OSError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
