"""Every error of the service: status, title, text and headers such as `Retry-After`.

    ServiceError
    ├── MovedError               301  the id was retired; `location` is that of its replacement
    ├── OriginError              403  the settings do not allow web pages of this origin
    ├── NotFoundError            404  unknown entity or path, with the nearest entities
    ├── MethodError              405  method not allowed, with the allowed methods
    ├── NotAcceptableError       406  the client does not accept JSON
    ├── SlowClientError          408  the request did not arrive in time
    ├── TooLargeError            413  the body exceeds the size limit
    ├── UriTooLongError          414  path and query exceed the size limit
    ├── MediaTypeError           415  the body is not declared as JSON
    ├── RangeError               416  the range starts after the end of the file
    ├── HostError                421  the settings do not allow this host name for MCP
    ├── InvalidError             422  invalid input, as FastAPI's record, with the valid or nearest values
    ├── LimitedError             429  the client exceeded its rate limit
    ├── InternalError            500  an unexpected error, without details
    ├── EngineUnavailableError   503  OpenSearch is unavailable
    │   └── NoReleaseError       503  OpenSearch has no release that this version reads
    ├── OverloadedError          503  too many concurrent requests
    └── DeadlineError            504  OpenSearch exceeded the deadline

All but 422 are sent as application/problem+json (RFC 9457); 422 has FastAPI's body.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from api.request_text import shorten_problems
from schema.errors import ENGINE_UNUSABLE, REFUSED, AkgError

PROBLEM = "application/problem+json"


class ServiceError(AkgError):
    """An error as clients see it. `detail` is one sentence or two; `extra` are further members of the problem.

    Clients may retry after `retry_seconds`; 0 if the response does not say when.
    """

    status = 500
    title = "Internal error"
    retry_seconds = 0

    def __init_subclass__(cls, status: int = 0, title: str = "", retry_seconds: int = 0) -> None:
        cls.status = status or cls.status
        cls.title = title or cls.title
        cls.retry_seconds = retry_seconds or cls.retry_seconds

    def __init__(self, detail: str = "", **extra: Any) -> None:  # noqa: ANN401 - members of the problem object
        super().__init__(detail)
        self.detail = detail
        self.extra = extra
        self.sources: Sequence[str] = ()

    def with_sources(self, sources: Sequence[str]) -> Self:
        """Return the error with the ids of the sources of the entities that it names."""
        self.sources = sources
        return self

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response."""
        return {"Retry-After": str(self.retry_seconds)} if self.retry_seconds else {}

    def body(self) -> dict[str, Any]:
        """Return the body without provenance and notice."""
        return {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail, **self.extra}


class MovedError(ServiceError, status=301, title="Moved permanently"):
    """The id was retired or merged; `location` is that of its replacement."""

    @property
    def headers(self) -> dict[str, str]:
        """The location of the replacement."""
        return {"Location": self.extra["location"]}


class OriginError(ServiceError, status=403, title="Origin not allowed"):
    """The request comes from a web page of an origin that the settings do not allow."""


class NotFoundError(ServiceError, status=404, title="Not found"):
    """The entity or path does not exist. `suggestions` holds the cards of the nearest entities."""


class MethodError(ServiceError, status=405, title="Method not allowed"):
    """The path does not support this method."""

    @property
    def headers(self) -> dict[str, str]:
        """The allowed methods."""
        return {"Allow": ", ".join(self.extra["allowed"])}


class NotAcceptableError(ServiceError, status=406, title="Not acceptable"):
    """The client accepts none of the service's media types."""


class SlowClientError(ServiceError, status=408, title="Request timeout"):
    """The request did not arrive in time."""


class TooLargeError(ServiceError, status=413, title="Content too large"):
    """The request body exceeds the size limit."""


class UriTooLongError(ServiceError, status=414, title="URI too long"):
    """Path and query together exceed the size limit."""


class MediaTypeError(ServiceError, status=415, title="Unsupported media type"):
    """The request body is not declared as JSON."""


class HostError(ServiceError, status=421, title="Misdirected request"):
    """The request names a host that the settings do not allow."""


class RangeError(ServiceError, status=416, title="Range not satisfiable"):
    """The range starts after the end of the file; `size` is that of the file in bytes."""

    @property
    def headers(self) -> dict[str, str]:
        """The size of the file."""
        return {"Content-Range": f"bytes */{self.extra['size']}"}


class InvalidError(ServiceError, status=422, title="Unprocessable content"):
    """Invalid input in FastAPI's format: a list of {loc, msg, type, input, ctx}. Many and long ones are shortened."""

    def __init__(self, problems: Sequence[Mapping[str, Any]]) -> None:
        self.problems = shorten_problems(problems)
        super().__init__("; ".join(problem["msg"] for problem in self.problems))

    def body(self) -> dict[str, Any]:
        """Return FastAPI's body."""
        return {"detail": self.problems}


class LimitedError(ServiceError, status=429, title="Too many requests"):
    """The client exceeded its rate limit. `retry_after` is in whole seconds."""

    @property
    def headers(self) -> dict[str, str]:
        """When the next request is allowed."""
        return {"Retry-After": str(self.extra["retry_after"])}


class InternalError(ServiceError):
    """An unexpected error in the service."""

    def __init__(self) -> None:
        super().__init__("Something went wrong on our side. The request may well be fine; please try again later.")


class EngineUnavailableError(ServiceError, status=503, title="Search engine unavailable", retry_seconds=5):
    """OpenSearch is unavailable. Never an empty result."""

    exit_code = ENGINE_UNUSABLE


class NoReleaseError(EngineUnavailableError):
    """No release is published that this version of the service reads."""

    exit_code = REFUSED


class OverloadedError(ServiceError, status=503, title="Too busy", retry_seconds=1):
    """All slots are taken and the queue is full."""


class DeadlineError(ServiceError, status=504, title="Deadline passed", retry_seconds=1):
    """OpenSearch did not respond before the deadline of the request."""

    exit_code = ENGINE_UNUSABLE
