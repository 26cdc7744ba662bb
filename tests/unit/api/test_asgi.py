"""Responses with more headers and without body."""

from starlette.types import Message

from api.asgi import with_headers, without_body

START: Message = {"type": "http.response.start", "status": 200, "headers": [(b"vary", b"accept")]}
BODY: Message = {"type": "http.response.body", "body": b"text"}


async def test_only_headers_that_a_response_lacks_are_added() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    for message in (START, BODY):
        await with_headers(send, [(b"vary", b"origin"), (b"x-frame-options", b"DENY")])(message)
        await without_body(send)(message)
    added = [(b"vary", b"accept"), (b"x-frame-options", b"DENY")]
    assert sent == [{**START, "headers": added}, START, BODY, {**BODY, "body": b""}]
