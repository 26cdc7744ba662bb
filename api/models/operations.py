"""Models of the export, usage, health and the API index."""

from typing import Any, Literal

from pydantic import Field

from api.models.response import Count, Model, RequestWarning, Response


class ExportFile(Model):
    """A file of the release. `bytes` and `sha256` are those of the named file."""

    name: str = Field(description="Its name.")
    url: str = Field(description="Its path here.")
    media_type: str = Field(description="`application/json`, `application/gzip`, `text/csv` or `text/plain`.")
    title: str = Field(description="What it holds.")
    rows: int | None = Field(description="How many rows it has.")
    bytes: int = Field(description="How large it is.")
    sha256: str = Field(description="The SHA-256 of its bytes.")


class ExportPage(Response):
    """The files that contain the whole release."""

    files: list[ExportFile] = Field(description="The files; the first describes the others.")
    warnings: list[RequestWarning] | None = Field(default=None, description="Parameters that had no effect.")


class UsageDay(Model):
    """Requests of one day in UTC by kind. Null replaces numbers that are too small to publish."""

    date: str = Field(description="The day, in UTC.")
    complete: bool = Field(description="Whether it is over.")
    requests: Count | None = Field(description="All requests.")
    by_transport: dict[str, Count | None] = Field(description="Requests by transport: `rest` or `mcp`.")
    by_route: dict[str, Count | None] = Field(description="Requests by route or tool.")
    by_status: dict[str, Count | None] = Field(description="Requests by class of status.")


class UsageTotals(Response):
    """How much the service is used; no data about any user."""

    days: list[UsageDay] = Field(description="The days, newest first.")
    suppressed_below: Count = Field(description="Smaller numbers are suppressed.")
    warnings: list[RequestWarning] | None = Field(default=None, description="Parameters that had no effect.")


class ApiCall(Model):
    """A call of the API with an example that works; `body` is what the example sends."""

    method: Literal["GET", "POST"] = Field(description="How it is called.")
    path: str = Field(description="Its path, with the names of what varies.")
    description: str = Field(description="What it does.")
    example: str = Field(description="An address that works.")
    body: dict[str, Any] | None = Field(description="What the example sends.")


class ApiIndex(Response):
    """The addresses and calls of the API, relative to the service."""

    description: str = Field(description="What the service is for, and what it is not.")
    explorer: str = Field(description="Pages for people.")
    reference: str = Field(description="The description of every call, to be read and tried.")
    openapi: str = Field(description="The same for programs.")
    mcp: str = Field(description="The connector for AI assistants.")
    llms: str = Field(description="The same as here for language models, as plain text.")
    calls: list[ApiCall] = Field(description="Every call.")


class Health(Response):
    """Whether the process is alive and whether OpenSearch responds."""

    status: Literal["ok", "ready", "degraded"] = Field(
        description=(
            "`ok` from `/healthz`; from `/readyz` `ready`, or `degraded` while only stale responses can be sent."
        )
    )
    engine: Literal["up", "down"] = Field(description="Whether the engine answers.")
    data_version: str | None = Field(description="The version of the live tables, where it is known.")
