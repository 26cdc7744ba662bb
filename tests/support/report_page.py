"""docs/reference/command-output.md, from the models: `python -m tests.support.report_page` rewrites it."""

import akg.reports
import akg.reports_snapshots
from akg.reports import Report
from tests.support.project import DOCS

PAGE = DOCS / "reference" / "command-output.md"
INTRODUCTION = """# Command output

The JSON that commands print with `--json`: one object on standard output. Progress, notices and errors go to standard
error. Fields keep their names and types; new ones may be added. [Exit codes](../operations.md#exit-codes) are the same
with and without `--json`.
"""


MODULES = (akg.reports, akg.reports_snapshots)


def models() -> list[type[Report]]:
    """Return every report, in the order of the modules."""
    values = [value for module in MODULES for value in vars(module).values() if isinstance(value, type)]
    return list(dict.fromkeys(value for value in values if issubclass(value, Report) and value is not Report))


def report_page() -> str:
    """Return the page: a table of fields for each model."""
    parts = [INTRODUCTION]
    for model in models():
        schema = model.model_json_schema()
        heading = f"## {model.__name__}\n\n{model.__doc__}\n\n| field | type | meaning |\n|---|---|---|"
        rows = [
            f"| `{name}` | {type_of(field)} | {field['description']} |" for name, field in schema["properties"].items()
        ]
        parts.append("\n".join([heading, *rows, ""]))
    return "\n".join(parts)


def type_of(field: dict[str, object]) -> str:
    items = field.get("items")
    if isinstance(items, dict):
        return f"array of {str(items.get('$ref', items.get('type'))).rpartition('/')[2]}"
    return f"{field['type']}"


if __name__ == "__main__":
    PAGE.write_text(report_page(), "utf-8")
