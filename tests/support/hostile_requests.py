"""Hostile requests of every class that a public HTTP server meets, with the answers that keep the promise of the edge.

Each is sent on a connection of its own. A promise is kept if the answer comes in time, has one of the statuses, is not
much larger than the request, repeats nothing of it that could poison a cache, and if a request that is hidden in the
body of another gets no answer.
"""

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

ANSWER_SECONDS = 2.0
READ_BYTES = 65_536
MAX_ERROR_BYTES = 4_096  # of an answer that is an error, whatever was sent
NO_ANSWER = 0
HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BODY = b'{"disability": "adhd", "limit": 1}'
HIDDEN = b"GET /robots.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"
OF_HIDDEN = b"User-agent:"  # in the answer to it
POISON = b"evil"
GOOD, BAD = frozenset((200,)), frozenset((400,))
SERVICE_OWN = frozenset((500, 502, 503, 504))  # errors that no request may cause


@dataclass(frozen=True, slots=True)
class HostileRequest:
    """What is sent, and the statuses that may be the answer of the edge."""

    name: str
    sent: bytes
    statuses: frozenset[int]


def get(fields: bytes = b"", target: bytes = b"/graph", start: bytes = b"GET ") -> bytes:
    return start + target + b" HTTP/1.1\r\n" + HOST + fields + b"\r\n"


def post(fields: bytes, body: bytes = b"") -> bytes:
    return b"POST /recommend HTTP/1.1\r\n" + HOST + JSON + fields + b"\r\n" + body


def length(value: object) -> bytes:
    return f"Content-Length: {value}\r\n".encode()


def chunks(body: bytes) -> Iterator[tuple[bytes, frozenset[int]]]:
    """Yield forms of chunks. Of some that the standard calls invalid, one good answer is right too."""
    size = b"%x" % len(body)
    for before in (b"zz", b"-5", b"0x5", b"+5", b"g", b"_5", b'"5"', b"5.", b"FFFFFFFFFFFFFFFFFF", b"5\x00", b"\x0b5"):
        yield before + b"\r\nabcde\r\n0\r\n\r\n", BAD
    for wrong in (b"5\rabcde\r0\r\r", b"\r\nabcde\r\n0\r\n\r\n", b"5\r\nabcdeXX0\r\n\r\n", b"\x80\x81\r\n"):
        yield wrong, BAD
    yield b"FFFFFFFF\r\nabc", frozenset((413, 400))
    for right in (size + b"\r\n", b"00" + size + b"\r\n", size + b";a=b\r\n", size + b"\n"):
        yield right + body + b"\r\n0\r\n\r\n", GOOD | BAD
    yield size + b";" + b"a" * 5_000 + b"\r\n" + body + b"\r\n0\r\n\r\n", GOOD | BAD
    yield size + b"\r\n" + body + b"\r\n0\r\nX-Trailer: evil\r\n\r\n", GOOD | BAD
    yield size + b" \r\n" + body + b"\r\n0\r\n\r\n", GOOD | BAD
    yield b"".join(b"1\r\n%c\r\n" % letter for letter in body) + b"0\r\n\r\n", GOOD


def framing() -> Iterator[HostileRequest]:
    """Yield ambiguous ends of bodies, most with a request hidden in the body."""
    for number, (body, statuses) in enumerate(chunks(BODY)):
        yield HostileRequest(f"chunks {number}", post(CHUNKED, body), statuses)
    refused = BAD | {501}
    for coding in (
        *(
            b"gzip",
            b"gzip, chunked",
            b"chunked, gzip",
            b"xchunked",
            b"chunked, chunked",
            b"\x0bchunked",
            b"chunked;q=1",
        ),
        *(b"identity", b"chunked\r\nTransfer-Encoding: chunked", b"chunked\r\nTransfer-Encoding: identity", b"", b","),
    ):
        fields = b"Transfer-Encoding: " + coding + b"\r\n"
        yield HostileRequest(f"coding {coding!r}", post(fields, b"0\r\n\r\n"), refused | {411, 422})
        both = fields + length(5 + len(HIDDEN))
        yield HostileRequest(f"coding {coding!r} and length", post(both, b"0\r\n\r\n" + HIDDEN), refused | {422})
    for field in (
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding:\r\n chunked\r\n",
        b" Transfer-Encoding: chunked\r\n",
    ):
        yield HostileRequest(f"field {field!r}", post(field + length(len(BODY)), BODY + HIDDEN), BAD)
    yield HostileRequest("underscore", post(b"Transfer_Encoding: chunked\r\n" + length(len(BODY)), BODY), GOOD | BAD)
    for value in (
        "-1",
        "+5",
        "5, 5",
        "5,6",
        "0x5",
        "5 5",
        "",
        "1e2",
        "5;",
        "१",
        "18446744073709551621",
        "9" * 30,
        "5\x0b",
    ):
        yield HostileRequest(f"length {value!r}", post(length(value), b"x" * 5 + HIDDEN), BAD | {411, 413})
    yield HostileRequest("length twice", post(length(5) + length(7), b"x" * 7), BAD)
    yield HostileRequest("length twice, equal", post(length(len(BODY)) * 2, BODY), BAD | GOOD)
    yield HostileRequest("length with zeros", post(length(f"00{len(BODY)}"), BODY), GOOD | BAD)
    yield HostileRequest("length and chunks", post(length(5 + len(HIDDEN)) + CHUNKED, b"0\r\n\r\n" + HIDDEN), BAD)
    http_10 = post(CHUNKED + length(5 + len(HIDDEN)), b"0\r\n\r\n" + HIDDEN).replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    yield HostileRequest("chunks in HTTP/1.0", http_10, BAD | {422, 501})
    yield HostileRequest("GET with a body", get(length(len(HIDDEN))) + HIDDEN, GOOD | BAD)
    yield HostileRequest(
        "upgrade with a body",
        get(b"Upgrade: h2c\r\nConnection: Upgrade\r\n" + length(len(HIDDEN))) + HIDDEN,
        GOOD | BAD,
    )


def hosts() -> Iterator[HostileRequest]:
    """Yield requests without a host, with several, and with malformed and foreign ones."""
    for value in (
        *(b"localhost:80@evil.com", b"localhost:evil.com", b"localhost:<script>", b"[::1]x", b"localhost:80:90"),
        *(
            b"localhost:99999",
            b"localhost:-1",
            b"localhost:0x50",
            b"evil/x",
            b"a@evil",
            b"local host",
            b"localhost,evil",
        ),
        *(b"[::1", b"[::1]:a", b"[evil]", b'localhost"', b"localhost;evil", b"localhost\tevil", b"localhost\x00evil"),
        *(b"localhost..", b"localhost%2e", b"\xff\xfe", b"", b"http://localhost", b"localhost?evil", b"localhost#evil"),
    ):
        sent = b"GET /llms.txt HTTP/1.1\r\nHost: " + value + b"\r\n\r\n"
        yield HostileRequest(f"host {value!r}", sent, BAD)
    for value in (b"evil.example", b"evil.localhost", b"localhost.evil.example", b"127.1", b"0x7f000001", b"[::2]"):
        sent = b"GET /llms.txt HTTP/1.1\r\nHost: " + value + b"\r\n\r\n"
        yield HostileRequest(f"host {value!r}", sent, frozenset((404,)))
    yield HostileRequest("no host", b"GET /graph HTTP/1.1\r\n\r\n", BAD)
    yield HostileRequest("no host in HTTP/1.0", b"GET /graph HTTP/1.0\r\n\r\n", frozenset((404, 400)))
    yield HostileRequest("two hosts", get(b"Host: evil\r\n", b"/llms.txt"), BAD)
    yield HostileRequest("two equal hosts", get(HOST), BAD)
    foreign = get(target=b"http://evil/llms.txt")
    yield HostileRequest("foreign target", foreign, frozenset((404, 400)))
    ours = b"GET http://localhost/llms.txt HTTP/1.1\r\nHost: evil\r\n\r\n"
    yield HostileRequest("foreign host, own target", ours, GOOD | BAD)
    yield HostileRequest("user in the target", get(target=b"http://evil@localhost/llms.txt"), BAD)
    for name in (
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Forwarded-Prefix",
        "Forwarded",
        "X-Host",
        "X-Original-URL",
    ):
        field = f"{name}: evil.example\r\n".encode()
        yield HostileRequest(name, get(field, b"/llms.txt"), GOOD)


def heads() -> Iterator[HostileRequest]:
    """Yield malformed request lines and headers, and those that are too large."""
    for target in (b"graph", b"*", b"/%zz", b"/%00", b"/\xff\xfe", b"/caf\xc3\xa9", b"/a b", b"/a\x00b", b"//../..//"):
        yield HostileRequest(f"target {target!r}", get(target=target), BAD | {404})
    yield HostileRequest("target http:///graph", get(target=b"http:///graph"), BAD | GOOD)  # its host is in `Host`
    for character in ("%00", "%01", "%09", "%0a", "%0d", "%0d%0aX:%20evil", "%7f", "%c2%85", "%1b"):
        target = f"/search?query=a{character}b".encode()
        yield HostileRequest(f"query with {character}", get(target=target), frozenset((422,)))
    split = get(target=b"/nowhere/%0d%0aSet-Cookie:%20evil")
    yield HostileRequest("header in the target", split, BAD | {404, 422})
    for version in (b"HTTP/3.7", b"HTTP/2.0", b"HTTP/1.1x", b"http/1.1", b"HTTP/1", b"HTTP/0.1", b"HTCPCP/1.0"):
        sent = b"GET /graph " + version + b"\r\n" + HOST + b"\r\n"
        yield HostileRequest(f"version {version!r}", sent, BAD | {505})
    for minor in (b"HTTP/1.2", b"HTTP/1.11"):
        yield HostileRequest(minor.decode(), get().replace(b"HTTP/1.1", minor, 1), GOOD | BAD | {505})
    yield HostileRequest("HTTP/0.9", b"GET /graph\r\n", BAD | {NO_ANSWER})
    yield HostileRequest("HTTP/0.9 and a header", b"GET /graph\r\nX: HTTP/1.1\r\n\r\n", BAD | {NO_ANSWER})
    methods = (b"TRACE", b"PUT", b"DELETE", b"PATCH", b"get", b"A" * 3_000, b"CONNECT", b"TRACK", b"PROPFIND")
    for method in methods:
        sent = get(start=method + b" ")
        yield HostileRequest(f"method {method[:10]!r}", sent, BAD | {405, 414, 501})
        yield HostileRequest(
            f"method {method[:10]!r}, body", get(length(10**8), start=method + b" "), BAD | {405, 413, 414}
        )
    for head in (
        *(
            b"HELLO\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 99 + b"\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ),
        *(
            b"GET\t/graph\tHTTP/1.1\r\n" + HOST + b"\r\n",
            bytes(range(256)) + b"\r\n\r\n",
            b"GET /graph HTTP/1.1\rHost: a\r\r\n\r\n",
        ),
    ):
        yield HostileRequest(f"head {head[:20]!r}", head, BAD | {505})
    for field in (
        b"X\x01: a\r\n",
        b"X A: a\r\n",
        b"X: a\x00b\r\n",
        b": a\r\n",
        b"X: a\r\n b\r\n",
        b"X : a\r\n",
        b"X: a\rb\r\n",
    ):
        yield HostileRequest(f"header {field!r}", get(field), BAD | GOOD)  # nginx drops those that it cannot name
    yield HostileRequest("header without a colon", get(b"broken\r\n"), GOOD | BAD)
    yield HostileRequest("lines end in LF", b"GET /graph HTTP/1.1\nHost: localhost\n\n", GOOD | BAD)
    yield HostileRequest("empty lines first", b"\r\n\r\n" + get(), GOOD | BAD)
    yield HostileRequest("unknown expectation", post(b"Expect: evil\r\n" + length(len(BODY)), BODY), GOOD | {417})
    too_large = BAD | {431}
    yield HostileRequest("long header", get(b"X: " + b"a" * 9_000 + b"\r\n"), too_large)
    many = b"".join(b"X-%d: %b\r\n" % (number, b"a" * 900) for number in range(60))
    yield HostileRequest("many headers", get(many), too_large)
    yield HostileRequest("long header name", get(b"X" * 9_000 + b": a\r\n"), too_large)
    for size in (8_300, 70_000):
        target = b"/search?query=" + b"a" * size
        yield HostileRequest(f"target of {size} bytes", get(target=target), frozenset((414,)))


def bodies() -> Iterator[HostileRequest]:
    """Yield bodies that are too large, too deep, or would be amplified."""
    for path, size in (("/recommend", 65_537), ("/mcp", 262_145), ("/graph", 10**9), ("/nowhere", 10**18)):
        for method in ("POST", "PUT"):
            head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode()
            yield HostileRequest(f"{method} {path} of {size} bytes", head, frozenset((405, 413, 400)))
    for name in ("evil.example", "a@evil"):
        head = f"POST /recommend HTTP/1.1\r\nHost: {name}\r\nContent-Length: 500000000\r\n\r\n".encode()
        yield HostileRequest(f"large body for {name}", head, frozenset((400, 404, 413)))
    raw = "POST /é HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000000\r\n\r\n".encode()
    yield HostileRequest("large body for a raw target", raw, BAD | {413})
    many = {f"evil{number}": "evil" for number in range(2_500)}
    documents: tuple[object, ...] = (
        many,
        {"disability": many},
        [{}] * 15_000,
        {"limitation": ["evil"] * 5_000},
        {"limit": "9" * 50_000},
    )
    for document in documents:
        body = orjson.dumps(document)
        yield HostileRequest(f"document {body[:20]!r}", post(length(len(body)), body), frozenset((422, 413)))
    for body in (
        b"[" * 30_000,
        b'{"a":' * 9_000,
        b'{"disability": "\x00"}',
        b"\xff\xfe{",
        b'{"disability": NaN',
        b"null",
    ):
        yield HostileRequest(f"body {body[:20]!r}", post(length(len(body)), body), BAD | {422})


def requests() -> list[HostileRequest]:
    """Return all."""
    return [*framing(), *hosts(), *heads(), *bodies()]


def broken_promise(port: int, request: HostileRequest) -> str | None:
    """Send a request to the edge; return which promise the answer breaks."""
    answer, seconds = exchange(port, request.sent)
    status = status_of(answer)
    if status not in request.statuses:
        return f"{request.name}: {status or answer[:20]!r} after {seconds:.1f} s"
    return misuse(request, answer)


def status_of(answer: bytes) -> int:
    return int(answer.split(maxsplit=2)[1]) if answer.startswith(b"HTTP/") else NO_ANSWER


def misuse(request: HostileRequest, answer: bytes) -> str | None:
    """Return what in an answer nobody may cause, whichever server gives it."""
    status = status_of(answer)
    if status in SERVICE_OWN:
        return f"{request.name}: {status}"
    if OF_HIDDEN in answer:
        return f"{request.name}: the hidden request was answered"
    if POISON in answer.lower() and status in GOOD:
        return f"{request.name}: the answer repeats the request"
    if status >= min(BAD) and len(answer) > MAX_ERROR_BYTES:
        return f"{request.name}: {len(answer)} bytes for {len(request.sent)}"
    return None


def exchange(port: int, sent: bytes) -> tuple[bytes, float]:
    """Send bytes and return the answer until the server closes, or is silent; and how long the first bytes took."""
    began = time.monotonic()
    answer, waited = b"", ANSWER_SECONDS
    with socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) as connection:
        try:
            connection.sendall(sent)
            while piece := connection.recv(READ_BYTES):
                if not answer:
                    waited = time.monotonic() - began
                    connection.settimeout(0.2)  # for a second answer
                answer += piece
        except (TimeoutError, ConnectionResetError, BrokenPipeError):
            pass
    return answer, waited
