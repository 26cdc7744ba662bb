"""Runs of measurements, as the history of `akg eval` stores them."""

from akg.reports.evaluation_history import EvalRun


def eval_run(command: str, alias: str, inputs: str | None, scores: dict[str, int | float]) -> EvalRun:
    """Return a run with fixed versions and time."""
    return EvalRun(
        at="2026-11-29T12:00:00+00:00",
        command=command,
        alias=alias,
        data_version="1.0.0+abc",
        synonyms_version="def",
        code_version=None,
        inputs=inputs,
        scores=scores,
    )
