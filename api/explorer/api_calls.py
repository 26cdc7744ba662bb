"""The API call that returns the data of a page: as a URL, as a curl command and as an MCP request. Pure."""

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
class ApiCall:
    """One API call: GET `path` with `params`, or POST `path` with a JSON `body`; and the equivalent MCP tool call.

    `link` replaces the URL of the JSON where a browser cannot follow the call itself (POST, content negotiation).
    """

    path: str
    params: Params = ()
    body: Mapping[str, Any] | None = None
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""

    @property
    def url(self) -> str:
        """Path and query string."""
        return f"{self.path}?{urlencode(self.params)}" if self.params else self.path

    @property
    def json_url(self) -> str:
        """The URL at which a browser gets the JSON."""
        return self.link or self.url

    def curl(self, base_url: str) -> str:
        """Return the curl command for this call."""
        command = f"curl {shlex.quote(base_url + self.url)}"
        if self.body is None:
            return command if self.path != "/" else f"{command} -H 'Accept: application/json'"
        return f"{command} -H 'Content-Type: application/json' -d {shlex.quote(_dumps(self.body))}"

    @property
    def mcp(self) -> str:
        """The equivalent MCP `tools/call` request, or an empty string if no tool matches."""
        if not self.tool:
            return ""
        params = {"name": self.tool, "arguments": dict(self.arguments)}
        return _dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def _dumps(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def query_params(params: Sequence[tuple[str, object]]) -> Params:
    """Return the parameters as strings, without the empty ones."""
    return tuple((name, str(value)) for name, value in params if value not in (None, "", ()))
