"""The module index of docs/reference/modules.md, from the docstrings."""

from tests.support.project import PACKAGES, modules


def module_rows() -> list[tuple[str, str]]:
    """Return each module with the first line of its docstring."""
    return [
        (f"`{module.path}`", module.docstring.splitlines()[0])
        for module in modules(*PACKAGES)
        if not module.path.endswith("__init__.py")
    ]
