"""What came of all trials, as a table that a page can take in. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.faults.response_check import FAULTS
from bench.figures import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEAD = ("fault", "requests", "right", "marked as old", "refused", "cut", "wrong", "reads failed", "recovered", "held")


def markdown(report: Mapping[str, Any]) -> str:
    """The tables of a report."""
    parts = [_about(report)]
    if report["trials"]:
        parts.append(table(HEAD, [_row(trial) for trial in report["trials"]]))
        parts.append(
            "\n".join(f"- **{one['name']}**: {'; '.join(one['notes'])}." for one in report["trials"] if one["notes"])
        )
        failed = [trial for trial in report["trials"] if not trial["passed"]]
        parts += [
            "\n".join((f"**{one['name']}**: not held: {', '.join(_missed(one))}.", *_losses(one))) for one in failed
        ]
    if report["skipped"]:
        parts.append("\n".join(f"- Not tried: {name}: {why}" for name, why in report["skipped"].items()))
    if soak := report["soak"]:
        parts.append(_soak(soak))
    return "\n\n".join(part for part in parts if part) + "\n"


def page(template: str, report: Mapping[str, Any]) -> str:
    """The page about it: the tables stand where the template names them."""
    return template.replace("{{report}}", markdown(report).strip())


def _about(report: Mapping[str, Any]) -> str:
    return (
        f"Measured until {report['ended']}. Three nodes of {report['heap']} heap and two services on one machine with "
        f"{report['processors']} processors; "
        f"{report['entities']:,} entities; seed {report['seed']}, {report['rounds']} round(s); each fault lasts "
        f"{report['seconds']:g} s. A failed read is one that failed again when it was tried once more."
    )


def _row(trial: Mapping[str, Any]) -> Sequence[str]:
    verdicts = trial["verdicts"]
    wrong = sum(verdicts[one.value] for one in FAULTS)
    counts = (sum(verdicts.values()), *(verdicts[one] for one in ("right", "stale", "refused", "cut")), wrong)
    return (
        trial["says"],
        *(f"{count:,}" for count in counts),
        f"{trial['failed_reads']:,} of {trial['reads']:,}",
        f"{trial['recovery_seconds']:.1f} s",
        "yes" if trial["passed"] else "**no**",
    )


def _missed(result: Mapping[str, Any]) -> list[str]:
    return [goal for goal, held in result["held"].items() if not held]


def _losses(result: Mapping[str, Any]) -> list[str]:
    lines = [f"- {line}" for line in (*result["lost"], *result["failures"])]
    return lines + [f"- {number} × {complaint}" for complaint, number in result["complaints"].items()]


def _soak(soak: Mapping[str, Any]) -> str:
    counts = {name: number for name, number in soak["verdicts"].items() if number}
    verdicts = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    done = ", ".join(f"{number} × {name}" for name, number in soak["operations"].items())
    first = (
        f"**Soak**, {soak['minutes']:g} minutes: {done}; {verdicts}; {soak['failed_reads']} of {soak['reads']:,} reads "
        f"failed; p50 {soak['p50_ms']} ms, p99 {soak['p99_ms']} ms."
    )
    rows = [
        (name, kind, f"{one.get('first', 0):,.1f}", f"{one.get('last', 0):,.1f}", f"{one.get('per_hour', 0):+,.1f}")
        for name, kinds in soak["growth"].items()
        for kind, one in kinds.items()
    ]
    growth = table(("process", "what", "after the warm-up", "at the end", "slope per hour"), rows)
    lines = [*(f"- not held: {goal}" for goal in _missed(soak)), *_losses(soak)]
    return "\n\n".join(part for part in (first, growth, "\n".join(lines)) if part)
