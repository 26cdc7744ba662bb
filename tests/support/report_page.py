"""docs/reference/command-output.md, from the models: `python -m tests.support.report_page` rewrites it."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import akg.reports
from akg.reports.report import Report
from tests.support.project import DOCS

PAGE = DOCS / "reference" / "command-output.md"
INTRODUCTION = """# Command output

The JSON that commands print with `--json`: one object on standard output. Progress, notices and errors go to standard
error. Fields keep their names and types; new ones may be added. [Exit codes](command-line.md#exit-codes) are the same
with and without `--json`. A command that fails prints nothing on standard output. One whose check finds problems prints
its report and exits with 1.
"""


def report_models() -> list[type[Report]]:
    """Return the models of the package, by module, in the order of the source."""
    names = [f"akg.reports.{module.name}" for module in iter_modules(akg.reports.__path__)]
    return [
        model
        for name in names
        for model in vars(import_module(name)).values()
        if isinstance(model, type) and issubclass(model, Report) and model.__module__ == name and model is not Report
    ]


def report_page() -> str:
    """Return the page: a table of commands, then a table of fields for each model."""
    models = report_models()
    commands = [model for model in models if str(model.__doc__).startswith("`akg ")]
    lines = [
        f"| {str(model.__doc__).rstrip('.')} | [{model.__name__}](#{model.__name__.lower()}) |" for model in commands
    ]
    parts = [INTRODUCTION, "\n".join(["| command | object |", "|---|---|", *lines, ""])]
    for model in models:
        heading = f"## {model.__name__}\n\n{model.__doc__}\n\n| field | type | meaning |\n|---|---|---|"
        fields = model.model_json_schema()["properties"].items()
        rows = [f"| `{name}` | {type_of(field)} | {model.model_fields[name].description} |" for name, field in fields]
        parts.append("\n".join([heading, *rows, ""]))
    return "\n".join(parts)


def type_of(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(map(type_of, field["anyOf"]))
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if field["type"] == "array":
        if "prefixItems" in field:
            return f"array of {len(field['prefixItems'])} {type_of(field['prefixItems'][0])}s"
        return f"array of {type_of(field['items'])}"
    if isinstance(values := field.get("additionalProperties"), dict):
        return f"object of {type_of(values)}"
    return str(field["type"])


def main(path: Path = PAGE) -> None:
    path.write_text(report_page(), "utf-8")


if __name__ == "__main__":
    main()
