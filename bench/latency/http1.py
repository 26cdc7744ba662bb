"""As much of HTTP/1.1 as a load client needs: one request as bytes, and where one answer ends. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD_END = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length:"
CHUNKED = b"\r\ntransfer-encoding: chunked"
CLOSE = b"\r\nconnection: close"
HIT = b"\r\ncache-status: akg; hit\r\n"


def request(method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    """One request on a connection that stays open."""
    fields = {"Host": "127.0.0.1", **(headers or {})}
    if body is not None:
        fields = {"Content-Type": "application/json", **fields, "Content-Length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + HEAD_END + (body or b"")


class Answer:
    """One answer as it arrives. `size` counts the bytes of its body; answers without a length end with their head."""

    __slots__ = ("_buffer", "_chunked", "_left", "closes", "head", "hit", "size", "status")

    def __init__(self) -> None:
        self._buffer = b""
        self._chunked = False
        self._left = -1  # bytes of the body that are still to come; below zero while the head is not whole
        self.status = 0
        self.size = 0
        self.closes = False
        self.hit = False

    def feed(self, data: bytes) -> bool:
        """Take what arrived; whether the answer is whole now."""
        if self._left >= 0 and not self._chunked:
            self._left -= len(data)
            return self._left <= 0
        self._buffer = self._buffer + data if self._buffer else data
        if self._left < 0 and not self._read_head():
            return False
        if self._chunked:
            return self._read_chunks()
        return self._left <= 0

    def _read_head(self) -> bool:
        end = self._buffer.find(HEAD_END)
        if end < 0:
            return False
        head = self._buffer[: end + 2].lower()
        self.status = int(head[9:12])
        self.closes = CLOSE in head
        self.hit = HIT in head
        self._buffer = self._buffer[end + 4 :]
        self._chunked = CHUNKED in head
        start = head.find(LENGTH)
        if start >= 0:
            self.size = int(head[start + len(LENGTH) : head.index(b"\r", start + 2)])
        self._left = self.size - len(self._buffer)
        if self._chunked:
            self._left = 0
        return True

    def _read_chunks(self) -> bool:
        """Whether the last chunk, the empty one, is there; the sizes of the others are added up."""
        place = size = 0
        while (end := self._buffer.find(b"\r\n", place)) >= 0:
            length = int(self._buffer[place:end].partition(b";")[0], 16)
            place = end + 2 + length + 2
            if len(self._buffer) < place:
                return False
            size += length
            if not length:
                self.size = size
                return True
        return False
