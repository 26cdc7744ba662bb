"""Render a report as Markdown tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.faults.response_check import WRONG_VERDICTS
from bench.figures import table

COLUMNS = ("fault", "requests", "correct", "stale", "rejected", "cut", "wrong", "reads failed", "recovered", "passed")


def markdown(report: Mapping[str, Any]) -> str:
    parts = [_about(report)]
    if report["trials"]:
        parts.append(table(COLUMNS, [_row(trial) for trial in report["trials"]]))
        parts.append(
            "\n".join(
                f"- **{trial['name']}**: {'; '.join(trial['notes'])}." for trial in report["trials"] if trial["notes"]
            )
        )
        failed = [trial for trial in report["trials"] if not trial["passed"]]
        parts += [
            "\n".join((f"**{trial['name']}**: failed: {', '.join(_missed_goals(trial))}.", *_losses(trial)))
            for trial in failed
        ]
    if report["skipped"]:
        parts.append("\n".join(f"- Skipped: {name}: {reason}" for name, reason in report["skipped"].items()))
    if soak := report["soak"]:
        parts.append(_soak(soak))
    return "\n\n".join(part for part in parts if part) + "\n"


def page(template: str, report: Mapping[str, Any]) -> str:
    return template.replace("{{report}}", markdown(report).strip())


def _about(report: Mapping[str, Any]) -> str:
    return (
        f"Measured until {report['ended']}. Three nodes of {report['heap']} heap and two services on one machine with "
        f"{report['processors']} processors; "
        f"{report['entities']:,} entities; seed {report['seed']}, {report['rounds']} round(s); each fault lasts "
        f"{report['seconds']:g} s. A failed read is one whose retry failed too."
    )


def _row(trial: Mapping[str, Any]) -> Sequence[str]:
    verdicts = trial["verdicts"]
    wrong = sum(verdicts[verdict.value] for verdict in WRONG_VERDICTS)
    counts = (sum(verdicts.values()), *(verdicts[name] for name in ("correct", "stale", "rejected", "cut")), wrong)
    return (
        trial["description"],
        *(f"{count:,}" for count in counts),
        f"{trial['failed_reads']:,} of {trial['reads']:,}",
        f"{trial['recovery_seconds']:.1f} s",
        "yes" if trial["passed"] else "**no**",
    )


def _missed_goals(result: Mapping[str, Any]) -> list[str]:
    return [goal for goal, reached in result["goals"].items() if not reached]


def _losses(result: Mapping[str, Any]) -> list[str]:
    lines = [f"- {line}" for line in (*result["lost"], *result["failures"])]
    return lines + [f"- {number} × {reason}" for reason, number in result["reasons"].items()]


def _soak(soak: Mapping[str, Any]) -> str:
    counts = {name: number for name, number in soak["verdicts"].items() if number}
    verdicts = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    done = ", ".join(f"{number} × {name}" for name, number in soak["operations"].items())
    first = (
        f"**Soak**, {soak['minutes']:g} minutes: {done}; {verdicts}; {soak['failed_reads']} of {soak['reads']:,} reads "
        f"failed; p50 {soak['p50_ms']} ms, p99 {soak['p99_ms']} ms."
    )
    rows = [
        (
            name,
            kind,
            f"{values.get('first', 0):,.1f}",
            f"{values.get('last', 0):,.1f}",
            f"{values.get('per_hour', 0):+,.1f}",
        )
        for name, kinds in soak["growth"].items()
        for kind, values in kinds.items()
    ]
    growth = table(("process", "value", "after the warm-up", "at the end", "slope per hour"), rows)
    lines = [*(f"- failed: {goal}" for goal in _missed_goals(soak)), *_losses(soak)]
    return "\n\n".join(part for part in (first, growth, "\n".join(lines)) if part)
