"""Which documents of seeds a build completes with precomputed results."""

from typing import Any

from akg.build import add_precomputed
from schema.codec import unpack

Documents = dict[str, dict[str, Any]]


def test_every_seed_with_lists_of_its_own_has_a_precomputed_result(written: Documents) -> None:
    needs = {key: unpack(body["needs"]) for key, body in written.items() if body["doc"] == "needs"}
    answered = {key: body for key, body in add_precomputed(written.items()) if "answer" in body}
    jobs = {key for key, document in needs.items() if document["card"]["type"] == "occupation"}
    inheriting = {key for key, document in needs.items() if document.get("inheritance_sources")}
    assert answered.keys() == needs.keys() - jobs - inheriting
    assert jobs
    assert inheriting
    for key, body in answered.items():
        assert unpack(body["answer"])["card"] == needs[key]["card"]
        assert {name: value for name, value in body.items() if name != "answer"} == written[key]
