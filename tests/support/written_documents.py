"""Ids of the test world, and parts of the documents of its entities."""

from typing import Any

from schema.edge_documents import count_edge_pages, edge_page_id

Written = dict[str, dict[str, Any]]

ADHD = "disability:attention-deficit-hyperactivity-disorder"
LOW_VISION, SCLEROSIS = "disability:low-vision", "disability:multiple-sclerosis"
RELAPSING = "disability:relapsing-remitting-multiple-sclerosis"
EYE, CHRONIC = "disability:optic-neuritis", "disability:chronic-optic-neuritis"


def of_kind(written: Written, doc: str) -> Written:
    return {key: body for key, body in written.items() if body["doc"] == doc}


def edges_of(written: Written, node: str, name: str) -> list[dict[str, Any]]:
    """Return the nested edges of an entity of one name, from all pages."""
    pages = count_edge_pages(written[edge_page_id(node, name, 0)]["total"])
    return [edge for page in range(pages) for edge in written[edge_page_id(node, name, page)]["edges"]]
