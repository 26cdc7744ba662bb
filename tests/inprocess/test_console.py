"""What a command says when the engine refuses, as a table."""

from __future__ import annotations

import pytest
import typer
from opensearchpy.exceptions import AuthorizationException, TransportError

from akg.console import NO_ROOM, plain_errors

FLOODED = (
    "index [akg-control] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has …]"
)
SHUT = "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];"


def caused(reason: str) -> dict[str, object]:
    return {"error": {"reason": reason, "root_cause": [{"type": "block", "reason": reason}]}}


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TransportError(429, "cluster_block_exception", caused(FLOODED)), NO_ROOM),
        (AuthorizationException(403, "index_create_block_exception", caused(SHUT)), NO_ROOM),
        (TransportError(503, "unavailable", {}), "OpenSearch: TransportError: TransportError(503, 'unavailable')"),
    ],
)
def test_a_refusal_is_one_plain_sentence_or_two(
    error: TransportError, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit), plain_errors():
        raise error
    assert " ".join(capsys.readouterr().err.split()) == said
