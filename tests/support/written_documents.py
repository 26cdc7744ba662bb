"""Ids of the test world, and parts of the documents of its entities."""

from typing import Any

from schema.codec import unpack

Written = dict[str, dict[str, Any]]

ADHD = "disability:attention-deficit-hyperactivity-disorder"
LOW_VISION, SCLEROSIS = "disability:low-vision", "disability:multiple-sclerosis"
RELAPSING = "disability:relapsing-remitting-multiple-sclerosis"


def needs_of(written: Written, node: str) -> dict[str, Any]:
    needs: dict[str, Any] = unpack(written[f"{node}/needs"]["needs"])
    return needs


def record_of(written: Written, node: str) -> dict[str, Any]:
    record: dict[str, Any] = written[f"{node}/record"]["record"]
    return record


def of_kind(written: Written, doc: str) -> Written:
    return {key: body for key, body in written.items() if body["doc"] == doc}
