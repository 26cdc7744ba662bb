"""The module index of docs/explanation/architecture.md, from the docstrings: `python -m tests.support.module_map` rewrites it."""

from tests.support.project import DOCS, PACKAGES, modules

PAGE = DOCS / "explanation/architecture.md"
HEADING = "## Module index\n"


def module_index() -> str:
    """Return the section: one table row per module, with the first line of its docstring."""
    rows = [
        f"| `{module.path}` | {module.docstring.splitlines()[0].replace('|', chr(92) + '|')} |"
        for module in modules(*PACKAGES)
        if not module.path.endswith("__init__.py")
    ]
    return "\n".join([HEADING, "| module | what it does |", "|---|---|", *rows, ""])


def main() -> None:
    before = PAGE.read_text("utf-8").partition(HEADING)[0]
    PAGE.write_text(before + module_index(), "utf-8")


if __name__ == "__main__":
    main()
