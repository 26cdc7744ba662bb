"""The conditional writes of OpenSearch on a few documents in memory, for tests of races that a node cannot repeat."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from opensearchpy import ConflictError, NotFoundError


@dataclass
class StoredDocument:
    """A document with its version and the moment of its last write; `source` is None after a deletion."""

    source: dict[str, Any] | None
    seq_no: int
    written: float


@dataclass
class DocumentStore:
    """Documents by id. `now` is the time of the world."""

    now: Callable[[], float]
    documents: dict[str, StoredDocument] = field(default_factory=dict)
    last_seq_no: int = 0

    def put(self, key: str, source: dict[str, Any] | None) -> int:
        """Store or delete a document; return its sequence number."""
        self.last_seq_no += 1
        self.documents[key] = StoredDocument(source, self.last_seq_no, self.now())
        return self.last_seq_no

    def live(self, key: str) -> StoredDocument | None:
        """Return a document that is not deleted."""
        document = self.documents.get(key)
        return document if document and document.source is not None else None


@dataclass
class DocumentClient:
    """The calls of `OpenSearch` that the writer lease uses.

    `before` is called before a request reaches the store, `after` before its response reaches the client; both may
    raise an error. `on_write` gets the document that is replaced or deleted, and the new source.
    """

    store: DocumentStore
    before: Callable[[], None] = lambda: None
    after: Callable[[], None] = lambda: None
    on_write: Callable[[StoredDocument | None, dict[str, Any] | None], None] = lambda _old, _new: None

    def get(self, index: str, id: str) -> dict[str, Any]:  # noqa: A002, ARG002 - names of the client
        """Return a document, or raise NotFoundError."""
        self.before()
        document = self.store.live(id)
        source, seq_no = (document.source, document.seq_no) if document else (None, 0)
        self.after()
        if source is None:
            raise NotFoundError(404, "not_found", {})
        return {"_source": source, "_seq_no": seq_no, "_primary_term": 1}

    def index(self, index: str, id: str, body: dict[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:  # noqa: A002, ARG002
        """Write a document under the conditions of the parameters, or raise ConflictError."""
        return self._write(id, dict(body), params)

    def delete(self, index: str, id: str, params: Mapping[str, Any]) -> dict[str, Any]:  # noqa: A002, ARG002
        """Delete a document under the conditions of the parameters, or raise ConflictError."""
        return self._write(id, None, params)

    def _write(self, key: str, source: dict[str, Any] | None, params: Mapping[str, Any]) -> dict[str, Any]:
        self.before()
        document = self.store.live(key)
        exists = document is not None
        wrong_version = "if_seq_no" in params and (document is None or document.seq_no != params["if_seq_no"])
        if wrong_version or (params.get("op_type") == "create" and exists):
            self.after()
            raise ConflictError(409, "version_conflict_engine_exception", {})
        self.on_write(document, source)
        seq_no = self.store.put(key, source)
        self.after()
        return {"_seq_no": seq_no, "_primary_term": 1}
