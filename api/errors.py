"""Every error of the service.

    ServiceError
    ├── MovedError               301  the id was retired; `location` is that of its replacement
    ├── BadRequestError          400  not a valid HTTP request
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
    ├── HeadTooLargeError        431  the headers exceed the size limit
    ├── InternalError            500  an unexpected error, without details
    ├── EngineUnavailableError   503  OpenSearch is unavailable, or has no release yet
    ├── OverloadedError          503  too many concurrent requests
    └── DeadlineError            504  OpenSearch exceeded the deadline

All but 422 are sent as application/problem+json (RFC 9457); 422 has FastAPI's body.
"""

from __future__ import annotations

from typing import Any

from schema.errors import AkgError

PROBLEM = "application/problem+json"


class ServiceError(AkgError):
    """An error as clients see it. `detail` is one sentence or two; `extra` are further members of the problem."""

    status = 500
    title = "Internal error"

    def __init__(self, detail: str = "", **extra: Any) -> None:  # noqa: ANN401 - members of the problem object
        super().__init__(detail)
        self.detail = detail
        self.extra = extra

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response."""
        return {}

    def body(self) -> dict[str, Any]:
        """Return the body without provenance and notice."""
        return {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail, **self.extra}


class MovedError(ServiceError):
    """The id was retired or merged; `location` is that of its replacement."""

    status = 301
    title = "Moved permanently"

    @property
    def headers(self) -> dict[str, str]:
        """The location of the replacement."""
        return {"Location": self.extra["location"]}


class BadRequestError(ServiceError):
    """The connection received data that is not a valid HTTP request."""

    status = 400
    title = "Bad request"


class OriginError(ServiceError):
    """The request comes from a web page of an origin that the settings do not allow."""

    status = 403
    title = "Origin not allowed"


class NotFoundError(ServiceError):
    """The entity or path does not exist. `suggestions` holds the cards of the nearest entities."""

    status = 404
    title = "Not found"


class MethodError(ServiceError):
    """The path does not support this method."""

    status = 405
    title = "Method not allowed"

    @property
    def headers(self) -> dict[str, str]:
        """The allowed methods."""
        return {"Allow": ", ".join(self.extra["allowed"])}


class NotAcceptableError(ServiceError):
    """The client accepts none of the service's media types."""

    status = 406
    title = "Not acceptable"


class SlowClientError(ServiceError):
    """The request did not arrive in time."""

    status = 408
    title = "Request timeout"


class TooLargeError(ServiceError):
    """The request body exceeds the size limit."""

    status = 413
    title = "Content too large"


class UriTooLongError(ServiceError):
    """Path and query together exceed the size limit."""

    status = 414
    title = "URI too long"


class MediaTypeError(ServiceError):
    """The request body is not declared as JSON."""

    status = 415
    title = "Unsupported media type"


class HostError(ServiceError):
    """The request names a host that the settings do not allow."""

    status = 421
    title = "Misdirected request"


class RangeError(ServiceError):
    """The range starts after the end of the file; `size` is that of the file in bytes."""

    status = 416
    title = "Range not satisfiable"

    @property
    def headers(self) -> dict[str, str]:
        """The size of the file."""
        return {"Content-Range": f"bytes */{self.extra['size']}"}


class InvalidError(ServiceError):
    """Invalid input in FastAPI's format: a list of {loc, msg, type, input, ctx}."""

    status = 422
    title = "Unprocessable content"

    def __init__(self, problems: list[dict[str, Any]]) -> None:
        super().__init__("; ".join(problem["msg"] for problem in problems))
        self.problems = problems

    def body(self) -> dict[str, Any]:
        """Return FastAPI's body."""
        return {"detail": self.problems}


class LimitedError(ServiceError):
    """The client exceeded its rate limit. `retry_after` is in whole seconds."""

    status = 429
    title = "Too many requests"

    @property
    def headers(self) -> dict[str, str]:
        """When the next request is allowed."""
        return {"Retry-After": str(self.extra["retry_after"])}


class HeadTooLargeError(ServiceError):
    """The headers exceed the limit of lines or bytes."""

    status = 431
    title = "Request header fields too large"


class InternalError(ServiceError):
    """An unexpected error in the service."""

    def __init__(self) -> None:
        super().__init__("Something went wrong on our side. The request may well be fine; please try again later.")


class EngineUnavailableError(ServiceError):
    """OpenSearch is unavailable, or no release is published. Never an empty result."""

    status = 503
    title = "Search engine unavailable"

    @property
    def headers(self) -> dict[str, str]:
        """When to retry, in seconds."""
        return {"Retry-After": "5"}


class OverloadedError(ServiceError):
    """All slots are taken and the queue is full."""

    status = 503
    title = "Too busy"

    @property
    def headers(self) -> dict[str, str]:
        """When to retry, in seconds."""
        return {"Retry-After": "1"}


class DeadlineError(ServiceError):
    """OpenSearch did not respond before the deadline of the request."""

    status = 504
    title = "Deadline passed"

    @property
    def headers(self) -> dict[str, str]:
        """When to retry, in seconds."""
        return {"Retry-After": "1"}
