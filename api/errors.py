"""Every error the service can give.

    ServiceError
    ├── MovedError               301  the id was retired; `to` is its heir
    ├── BadRequestError          400  not HTTP that can be read
    ├── OriginError              403  web pages of this origin may not call
    ├── NotFoundError            404  no such entity, or no such path; carries the nearest entities
    ├── MethodError              405  carries the methods that are allowed
    ├── NotAcceptableError       406  the caller takes no JSON
    ├── SlowClientError          408  the request did not arrive in time
    ├── TooLargeError            413  the body is larger than the service reads
    ├── UriTooLongError          414  path and query are longer than the service reads
  the body is larger than the service reads
    ├── MediaTypeError           415  the body is not JSON
    ├── RangeError               416  the range begins after the end of the file
    ├── HostError                421  the MCP connector does not answer to this host name
    ├── InvalidError             422  FastAPI's record of what is wrong, with the valid or nearest values
    ├── LimitedError             429  the client asked too often
    ├── HeadTooLargeError        431  the headers are more than the service reads
    ├── InternalError            500  a defect of ours; says nothing but that
    ├── EngineAwayError          503  the engine does not answer, or has no release yet
    ├── OverloadedError          503  more requests than the service can work on
    └── DeadlineError            504  the engine took too long

All but 422 are answered as application/problem+json (RFC 9457); 422 has FastAPI's body.
"""

from __future__ import annotations

from typing import Any

PROBLEM = "application/problem+json"


class ServiceError(Exception):
    """What went wrong, as callers will read it: `detail` is one plain sentence or two."""

    status = 500
    title = "Internal error"

    def __init__(self, detail: str = "", **extra: Any) -> None:  # noqa: ANN401 - members of the problem object
        super().__init__(detail)
        self.detail = detail
        self.extra = extra

    @property
    def headers(self) -> dict[str, str]:
        """Headers that this answer must carry."""
        return {}

    def body(self) -> dict[str, Any]:
        """The answer's body without provenance and notice."""
        return {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail, **self.extra}


class MovedError(ServiceError):
    """The id was retired or merged; `location` is where its heir answers."""

    status = 301
    title = "Moved permanently"

    @property
    def headers(self) -> dict[str, str]:
        """Where to."""
        return {"Location": self.extra["location"]}


class BadRequestError(ServiceError):
    """What arrived on the connection is no HTTP request that can be read."""

    status = 400
    title = "Bad request"


class OriginError(ServiceError):
    """The call comes from a web page of an origin that the settings do not allow."""

    status = 403
    title = "Origin not allowed"


class NotFoundError(ServiceError):
    """There is no such entity or path. `suggestions` holds the nearest entities as cards."""

    status = 404
    title = "Not found"


class MethodError(ServiceError):
    """The path exists, but not for this method."""

    status = 405
    title = "Method not allowed"

    @property
    def headers(self) -> dict[str, str]:
        """What would work."""
        return {"Allow": ", ".join(self.extra["allowed"])}


class NotAcceptableError(ServiceError):
    """The caller accepts none of what the service speaks."""

    status = 406
    title = "Not acceptable"


class SlowClientError(ServiceError):
    """The request did not arrive within the time that a client may take to send it."""

    status = 408
    title = "Request timeout"


class TooLargeError(ServiceError):
    """The request body is larger than the service reads."""

    status = 413
    title = "Content too large"


class UriTooLongError(ServiceError):
    """Path and query together are longer than the service reads."""

    status = 414
    title = "URI too long"


class MediaTypeError(ServiceError):
    """The request body is not announced as JSON."""

    status = 415
    title = "Unsupported media type"


class HostError(ServiceError):
    """The call was addressed to a host name that the settings do not allow."""

    status = 421
    title = "Misdirected request"


class RangeError(ServiceError):
    """The range begins after the end of the file; `size` is how many bytes it has."""

    status = 416
    title = "Range not satisfiable"

    @property
    def headers(self) -> dict[str, str]:
        """How much there is."""
        return {"Content-Range": f"bytes */{self.extra['size']}"}


class InvalidError(ServiceError):
    """Input that does not fit, in FastAPI's form: a list of {loc, msg, type, input, ctx}."""

    status = 422
    title = "Unprocessable content"

    def __init__(self, problems: list[dict[str, Any]]) -> None:
        super().__init__("; ".join(problem["msg"] for problem in problems))
        self.problems = problems

    def body(self) -> dict[str, Any]:
        """FastAPI's body."""
        return {"detail": self.problems}


class LimitedError(ServiceError):
    """The client has used up its allowance. `retry_after` is in whole seconds."""

    status = 429
    title = "Too many requests"

    @property
    def headers(self) -> dict[str, str]:
        """When one more request is allowed."""
        return {"Retry-After": str(self.extra["retry_after"])}


class HeadTooLargeError(ServiceError):
    """The headers have more lines or bytes than the service reads."""

    status = 431
    title = "Request header fields too large"


class InternalError(ServiceError):
    """A defect of ours."""

    def __init__(self) -> None:
        super().__init__("Something went wrong on our side. The request may well be fine; please try again later.")


class EngineAwayError(ServiceError):
    """The search engine does not answer, or nothing has been published yet. Never an empty result."""

    status = 503
    title = "Search engine unavailable"

    @property
    def headers(self) -> dict[str, str]:
        """When to come back, in seconds."""
        return {"Retry-After": "5"}


class OverloadedError(ServiceError):
    """There are more requests than the service can work on, and enough of them wait already."""

    status = 503
    title = "Too busy"

    @property
    def headers(self) -> dict[str, str]:
        """When to come back, in seconds."""
        return {"Retry-After": "1"}


class DeadlineError(ServiceError):
    """The engine did not answer within the time that one request may take."""

    status = 504
    title = "Deadline passed"

    @property
    def headers(self) -> dict[str, str]:
        """When to come back, in seconds."""
        return {"Retry-After": "1"}
