"""The process that parses: its jobs, its limits, and its end."""

import subprocess
import sys

import orjson
import pytest

from indexer.market.page import Page
from indexer.market.page_reader import PROGRAM
from indexer.market.page_worker import (
    LENGTH_BYTES,
    Job,
    RobotsRules,
    frame,
    page_from_json,
    parse_robots,
    robots_from_json,
    run_job,
)

URL = "https://shop.example/timers/one"
BODY = b"<title>Time Timer</title><h2>Disks</h2><p>Red disk</p>"
PAGE = Page(("Time Timer",), ("Disks",), ("Disks", "Red disk"))


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("", RobotsRules(is_allowed=True, delay_seconds=0.0)),
        ("User-agent: *\nDisallow: /timers\nCrawl-delay: 7", RobotsRules(is_allowed=False, delay_seconds=7.0)),
        ("User-agent: *\nCrawl-delay: 9999999999", RobotsRules(is_allowed=True, delay_seconds=86_400.0)),
        *(
            (f"User-agent: *\nCrawl-delay: {delay}", RobotsRules(is_allowed=True, delay_seconds=0.0))
            for delay in ("nan", "-1", "soon")
        ),
        ("\0\xff", RobotsRules(is_allowed=True, delay_seconds=0.0)),
    ],
)
def test_applies_a_robots_txt(text: str, rules: RobotsRules) -> None:
    assert parse_robots(text.encode(), URL) == rules
    assert robots_from_json(run_job(Job("robots", URL, 1), text.encode())) == rules


def test_a_page_is_the_same_after_the_way_between_processes() -> None:
    assert page_from_json(run_job(Job("page", "utf-8", 1), BODY)) == PAGE


def start() -> subprocess.Popen[bytes]:
    command = (sys.executable, "-c", PROGRAM, *sys.path)
    return subprocess.Popen(  # noqa: S603 - this program
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def test_runs_jobs_until_its_input_ends() -> None:
    with start() as process:
        job = frame(orjson.dumps(Job("page", "", 5))) + frame(BODY)
        output, _ = process.communicate(job * 2, timeout=60)
    assert output[:LENGTH_BYTES] == bytes(LENGTH_BYTES)  # ready
    assert output.count(b"Red disk") == 2
    assert process.returncode == 0


def test_ends_by_itself_if_a_job_takes_too_long() -> None:
    with start() as process:
        job = frame(orjson.dumps(Job("page", "", 1))) + frame(b"<div>x" * 400_000)
        process.communicate(job, timeout=60)
    assert process.returncode != 0
