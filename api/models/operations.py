"""Models of the export, usage, health and the API index."""

from typing import Any, Literal

from api.models.response import Count, Model, RequestWarning, Response


class ExportFile(Model):
    """A file of the release. `bytes` and `sha256` are those of the named file."""

    name: str
    url: str
    media_type: str
    title: str
    rows: int | None
    bytes: int
    sha256: str


class ExportPage(Response):
    """The files that contain the whole release."""

    files: list[ExportFile]
    warnings: list[RequestWarning] | None = None


class UsageDay(Model):
    """Requests of one day in UTC by kind. Null replaces numbers that are too small to publish."""

    date: str
    complete: bool
    requests: Count | None
    by_transport: dict[str, Count | None]
    by_route: dict[str, Count | None]
    by_status: dict[str, Count | None]


class UsageTotals(Response):
    """How much the service is used; no data about any user."""

    days: list[UsageDay]
    suppressed_below: Count
    warnings: list[RequestWarning] | None = None


class ApiCall(Model):
    """A call of the API with an example that works; `body` is what the example sends."""

    method: Literal["GET", "POST"]
    path: str
    description: str
    example: str
    body: dict[str, Any] | None


class ApiIndex(Response):
    """The addresses and calls of the API, relative to the service."""

    description: str
    explorer: str
    reference: str
    openapi: str
    mcp: str
    llms: str
    calls: list[ApiCall]


class Health(Response):
    """Whether the process is alive and whether OpenSearch responds."""

    status: Literal["ok", "ready", "degraded"]
    engine: Literal["up", "down"]
    data_version: str | None
