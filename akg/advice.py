"""What an operator should know of, each with what to do about it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.condition import Condition

OLD_DAYS = 90  # of a release
FULL = 0.8  # of a disk: from 85 % on the engine puts nothing new on it, at 95 % it takes no more writes
QUIET_SECONDS = 3600  # without a count of usage; a running service counts its own checks each minute
DAY_SECONDS = 86_400
MANY = 5


@dataclass(frozen=True, slots=True)
class Files:
    """How the files differ from the live release. None: they could not be read, or there are none to compare."""

    tables: bool | None = None
    new_rules: int = 0
    gone_rules: int = 0
    undone: bool = False
    problems: int = 0


def warnings(found: Condition, files: Files, now: datetime, *, usage_counted: bool) -> list[str]:
    """Everything that calls for somebody, the gravest first."""
    return [*_engine(found), *_alias(found), *_age(found, now), *_files(files), *_usage(found, now, usage_counted)]


def _engine(found: Condition) -> Iterator[str]:
    if found.health == "red":
        yield "The engine misses shards: start the nodes that are away. What they hold cannot be asked until then."
    if found.health == "yellow":
        yield "Some shards have fewer copies than wanted: start another node, or want fewer copies."
    if found.disk.used >= FULL:
        percent = f"{found.disk.used:.0%}"
        yield f"The engine's disk is {percent} full, at 95 % writes stop: `akg index prune --keep 1` drops releases."


def _alias(found: Condition) -> Iterator[str]:
    if not found.live:
        yield "No release is live: `akg index build` makes one."
    elif len(found.live) > 1:
        yield f"The alias points at {len(found.live)} indices: `akg index rollback {found.live[-1]}` leaves one."
    elif found.release is None:
        yield "What is live was never completed: `akg index rollback` goes back to a release, or build one anew."
    dead = [index for index in found.unfinished if index not in found.live]
    if dead and (found.writer is None or found.writer["gone"]):
        left = ", ".join(dead[:MANY])
        yield f"A command was killed and left {left}: `akg index prune` clears up; so does the next build or apply."
    if len(found.releases) == 1 and found.live:
        yield "There is no earlier release to go back to; the next build keeps this one."


def _age(found: Condition, now: datetime) -> Iterator[str]:
    if found.release is None:
        return
    days = age_seconds(found, now) // DAY_SECONDS
    if days >= OLD_DAYS:
        yield f"The release is {days:.0f} days old: `akg market verify`, then `akg index build` brings it up to date."


def age_seconds(found: Condition, now: datetime) -> float:
    """How long ago the live release was published."""
    if found.release is None:
        return 0.0
    return (now - datetime.fromisoformat(found.release.released)).total_seconds()


def _files(files: Files) -> Iterator[str]:
    if files.problems:
        yield f"The rule files have {files.problems} errors, and no build takes them: `akg synonyms lint` names them."
    if files.undone:
        yield "The rule files hold rules that were undone or replaced: set them back, or `akg synonyms apply` them."
    elif files.new_rules or files.gone_rules:
        change = f"{files.new_rules} rules new, {files.gone_rules} gone"
        yield f"The rule files differ from the live rules ({change}): `akg synonyms preview`, then `apply`."
    if files.tables:
        yield "The tables or the mapping differ from the live release: `akg index build --dry-run` says how."


def _usage(found: Condition, now: datetime, counted: bool) -> Iterator[str]:  # noqa: FBT001 - passed on as it came
    latest = found.usage.latest
    if counted and latest is not None and (now - latest).total_seconds() > QUIET_SECONDS:
        hours = (now - latest).total_seconds() / 3600
        yield (
            f"No usage was counted for {hours:.0f} hours: either no service runs, or it may not write to the usage "
            "indices; its log says so."
        )
