"""Measure the edge: hostile requests, hot and new requests through nginx, equal ones at once, answers in an outage.

    make bench-edge WITH="--engine http://127.0.0.1:9200 --seconds 4 --rounds 3"

It needs a release in OpenSearch, nginx and wrk (Debian's packages). It starts a service, an edge in front of it, and
the same nginx with a static file of the size of the hot response. What is compared runs in turns; `processor` is the
time of nginx per response, which other programs on the machine disturb least.
"""

import argparse
import asyncio
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

import httpx
from rich.console import Console
from rich.table import Table

from bench.figures import percentile
from tests.support.edge import MEMORY, edge
from tests.support.fixture_graphs import counting_proxy
from tests.support.hostile_requests import broken_promise, requests
from tests.support.serving import free_port, process

HOT = "/search?query=adhd"
AT_ONCE, NEW_NAMES, IN_FLIGHT = 48, 800, (8, 64)
TICKS_PER_SECOND = 100
STATIC = """
daemon off; pid nginx.pid; error_log stderr crit; worker_processes auto; user root;
events {{ worker_connections 4096; }}
http {{
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000; default_type application/json;
    client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""
out = Console(highlight=False, soft_wrap=True)


def wrk(url: str, connections: int, seconds: int, headers: Mapping[str, str]) -> tuple[float, int]:
    """Return responses per second and their number."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text:
        raise SystemExit(text)
    rate, number = re.search(r"Requests/sec:\s+([\d.]+)", text), re.search(r"(\d+) requests in", text)
    return float(rate[1] if rate else 0), int(number[1] if number else 0)


def processor_seconds(pid_file: Path) -> float:
    """Return the processor time of the workers of an nginx."""
    master = pid_file.read_text().strip()
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    times = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in workers]
    return sum(int(fields[11]) + int(fields[12]) for fields in times) / TICKS_PER_SECOND


@contextmanager
def static_files(files: Mapping[str, bytes]) -> Iterator[tuple[str, Path]]:
    """Run an nginx that serves these files; yield its URL and the file with its process id."""
    port = free_port()
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name)
        folder.chmod(0o755)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        (folder / "nginx.conf").write_text(STATIC.format(port=port, folder=folder))
        with subprocess.Popen(["nginx", "-p", name, "-c", f"{name}/nginx.conf"]) as running:  # noqa: S607
            time.sleep(1)
            yield f"http://127.0.0.1:{port}", folder / "nginx.pid"
            running.terminate()


def held(port: int) -> tuple[str, str]:
    """Count the hostile requests for which the edge keeps its promise; name the others."""
    sent = requests()
    with ThreadPoolExecutor(4) as threads:
        broken = [found for found in threads.map(partial(broken_promise, port), sent) if found]
    return "hostile requests held", "; ".join([f"{len(sent) - len(broken)} of {len(sent)}", *broken])


def hot(front: str, pid: Path, seconds: int, rounds: int) -> Iterator[tuple[str, str]]:
    """Compare the hot response through the edge with a static file of its size."""
    forms = {"plain": "identity", "gzip": "gzip"}
    with httpx.Client(base_url=front) as client:
        bodies = {}
        for form, encoding in forms.items():
            with client.stream("GET", HOT, headers={"Accept-Encoding": encoding}) as response:
                bodies[form] = b"".join(response.iter_raw())
    with static_files(bodies) as (static, static_pid):
        for connections in IN_FLIGHT:
            for form, encoding in forms.items():
                rates: list[tuple[float, float]] = []
                costs = []
                for _ in range(rounds):
                    found = []
                    for url, file in ((f"{front}{HOT}", pid), (f"{static}/{form}", static_pid)):
                        began = processor_seconds(file)
                        rate, number = wrk(url, connections, seconds, {"Accept-Encoding": encoding})
                        found.append((rate, (processor_seconds(file) - began) / number))
                    rates.append((found[0][0] / found[1][0], found[0][0]))
                    costs.append(found[1][1] / found[0][1])
                ratio, rate = sorted(rates)[len(rates) // 2]
                yield (
                    f"hot search, {form} ({len(bodies[form]):,} bytes), {connections} in flight ÷ static file",
                    f"{ratio:.2f} ({rate:,.0f} a second); by processor time {statistics.median(costs):.2f}",
                )


async def product_names(client: httpx.AsyncClient, url: str) -> list[str]:
    """Return names of products from all over the list."""
    path = f"{url}/product?limit=100&offset="
    total = (await client.get(f"{path}0")).json()["total"]
    places = random.Random(time.time()).sample(range(0, total - 100, 100), NEW_NAMES // 100)  # noqa: S311 - not for secrets
    return [item["name"] for place in places for item in (await client.get(f"{path}{place}")).json()["results"]]


async def distinct(urls: Mapping[str, str], names: list[str]) -> Iterator[tuple[str, str]]:
    """Compare searches for names that are not cached, half of them through each address, in turns."""
    seconds: dict[str, float] = dict.fromkeys(urls, 0.0)
    counts: dict[str, int] = dict.fromkeys(urls, 0)
    parts = [names[start : start + 50] for start in range(0, len(names) - 1, 50)]
    async with httpx.AsyncClient(timeout=30) as client:
        for number, part in enumerate(parts):
            name = list(urls)[number % len(urls)]
            began = time.perf_counter()
            slots = asyncio.Semaphore(8)

            async def ask(query: str, base: str = urls[name], limit: asyncio.Semaphore = slots) -> None:
                async with limit:
                    (await client.get(f"{base}/search", params={"query": query})).raise_for_status()

            await asyncio.gather(*(ask(query) for query in part))
            seconds[name] += time.perf_counter() - began
            counts[name] += len(part)
    rates = {name: counts[name] / seconds[name] for name in urls}
    ratio = rates["edge"] / rates["direct"]
    return iter([("distinct searches, 8 in flight, edge ÷ direct", f"{ratio:.2f} ({rates['edge']:.0f} a second)")])


async def together(front: str, calls: list[str], query: str) -> tuple[str, str]:
    """Send one new search many times at once and count the requests to OpenSearch."""
    before = len(calls)
    limits = httpx.Limits(max_connections=AT_ONCE)
    async with httpx.AsyncClient(timeout=30, limits=limits) as client:
        began = time.perf_counter()

        async def ask() -> float:
            (await client.get(f"{front}/search", params={"query": query})).raise_for_status()
            return (time.perf_counter() - began) * 1000

        waits = await asyncio.gather(*(ask() for _ in range(AT_ONCE)))
    sent = [call.rpartition("/")[2] for call in calls[before:]]
    counts = ", ".join(f"{sent.count(name)} {name}" for name in sorted(set(sent)))
    return (
        f"{AT_ONCE} at once, one new search",
        f"requests to OpenSearch: {counts}; p50 {percentile(waits, 0.5):.0f} ms",
    )


async def outage(front: str) -> Iterator[tuple[str, str]]:
    """Measure known and unknown requests while OpenSearch is away."""
    rows = []
    async with httpx.AsyncClient(timeout=30) as client:
        for name, path in (("known", HOT), ("unknown", "/search?query=never+asked+")):
            waits, statuses, marks = [], set(), set()
            for number in range(50):
                began = time.perf_counter()
                response = await client.get(front + path + (str(number) if name == "unknown" else ""))
                waits.append((time.perf_counter() - began) * 1000)
                statuses.add(response.status_code)
                marks |= {"stale" in value for value in response.headers.get_list("cache-status")}
            text = f"{sorted(statuses)}, p50 {percentile(waits, 0.5):.1f} ms, p95 {percentile(waits, 0.95):.1f} ms"
            rows.append((f"OpenSearch away, {name} search{', marked stale' if True in marks else ''}", text))
    return iter(rows)


async def measure(engine: str, seconds: int, rounds: int) -> list[tuple[str, str]]:
    """Return the rows of the table."""
    rows: list[tuple[str, str]] = []
    async with AsyncExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        proxied = AsyncExitStack()
        address, calls = await proxied.enter_async_context(counting_proxy(engine))
        settings = {
            "AKG_RATE_LIMIT": "0",
            "AKG_USAGE_MONTHS": "0",
            "AKG_TRUSTED_PROXIES": "1",
            "AKG_DEADLINE_SECONDS": "10",
        }
        plain = opened.enter_context(process({**settings, "AKG_OPENSEARCH_URL": engine}))
        watched = opened.enter_context(process({**settings, "AKG_OPENSEARCH_URL": address}))
        front = opened.enter_context(edge(plain.url, folder))
        before_proxy = opened.enter_context(edge(watched.url, folder))
        client = await opened.enter_async_context(httpx.AsyncClient(timeout=30))
        for url in (front.url, before_proxy.url):
            (await client.get(url + HOT)).raise_for_status()
        rows.append(await asyncio.to_thread(held, front.port))
        rows += await asyncio.to_thread(lambda: list(hot(front.url, front.folder / "nginx.pid", seconds, rounds)))
        names = await product_names(client, plain.url)
        rows += await distinct({"edge": front.url, "direct": plain.url}, names)
        rows.append(await together(before_proxy.url, calls, names[-1]))
        for _ in range(3):
            (await client.get(before_proxy.url + HOT)).raise_for_status()
        await proxied.aclose()
        await asyncio.sleep(1.5)
        rows += await outage(before_proxy.url)
    return rows


def stop(message: str) -> NoReturn:
    """End with a message and the exit code for a program that is not usable."""
    out.print(message, style="red")
    raise SystemExit(3)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="http://127.0.0.1:9200")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if missing := [
        name for name in ("nginx", "wrk") if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None
    ]:
        stop(f"Not installed: {', '.join(missing)}. On Debian and Ubuntu: apt-get install {' '.join(missing)}")
    try:
        httpx.get(options.engine).raise_for_status()
    except httpx.HTTPError:
        stop(f"OpenSearch does not respond at {options.engine}. Run `make up` first, or name another by --engine.")
    table = Table("measure", "result")
    for name, value in asyncio.run(measure(options.engine, options.seconds, options.rounds)):
        table.add_row(name, value)
    out.print(table)


if __name__ == "__main__":
    main()
