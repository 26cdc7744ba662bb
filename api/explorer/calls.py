"""The same answer for programs: each page names the API call behind it as an address, for curl, and for MCP. Pure."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Params = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the API: `path` with `params`, or with a JSON `body` by POST; and the MCP tool that says the same.

    `link` is an address that a browser can follow to the JSON, where that is not the call's own.
    """

    path: str
    params: Params = ()
    body: Mapping[str, Any] | None = None
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""

    @property
    def address(self) -> str:
        """Path and query."""
        return f"{self.path}?{urlencode(self.params)}" if self.params else self.path

    @property
    def json(self) -> str:
        """Where a browser finds this answer as JSON."""
        return self.link or self.address

    def curl(self, base: str) -> str:
        """The command that asks for it."""
        command = f"curl {shlex.quote(base + self.address)}"
        if self.body is None:
            return command if self.path != "/" else f"{command} -H 'Accept: application/json'"
        return f"{command} -H 'Content-Type: application/json' -d {shlex.quote(_said(self.body))}"

    @property
    def mcp(self) -> str:
        """The same as a `tools/call` request of the Model Context Protocol; empty where no tool says it."""
        if not self.tool:
            return ""
        params = {"name": self.tool, "arguments": dict(self.arguments)}
        return _said({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def _said(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def given(params: Sequence[tuple[str, object]]) -> Params:
    """Parameters as they stand in an address, without those that were not given."""
    return tuple((name, str(value)) for name, value in params if value not in (None, "", ()))
