"""The module index of docs/reference/modules.md and the package map of the architecture, from the docstrings."""

from tests.support.project import PACKAGES, modules

# The modules of a package at which to start reading.
START = {
    "schema": "vocabulary.py document_ids.py",
    "api": "app.py service.py",
    "api.engine": "search_engine.py",
    "api.search": "service.py query.py query_builder.py ranking.py",
    "api.search.fallback": "attempts.py spelling.py",
    "api.search.guides": "index.py",
    "api.search.reading": "reader.py model.py",
    "api.search.words": "lexicon.py mentions.py",
    "api.graph": "entities.py resolve.py",
    "api.recommend": "service.py ranking.py",
    "api.models": "response.py",
    "api.http": "envelope.py",
    "api.limits": "rate_limit.py",
    "api.telemetry": "usage_counters.py",
    "api.rest": "routes.py",
    "api.mcp": "tools.py",
    "api.explorer": "routes.py",
    "indexer": "release/plan.py",
    "indexer.content": "loader.py",
    "indexer.onet": "reader.py",
    "indexer.overlays": "reader.py apply.py",
    "indexer.market": "crawl.py rules.py",
    "indexer.imports": "store.py",
    "indexer.graph": "build.py",
    "indexer.documents": "builder.py",
    "indexer.export": "documents.py",
    "indexer.synonyms": "rules.py",
    "indexer.release": "plan.py releases.py",
    "indexer.snapshots": "snapshots.py restore.py",
    "akg": "cli.py build.py",
    "akg.commands": "index.py",
    "akg.evaluation": "search_eval.py",
    "akg.node": "process.py",
    "akg.reports": "report.py",
}


def package_rows() -> list[tuple[str, str, str]]:
    """Return each package with the first line of its docstring and where to start reading."""
    docstrings = {
        module.path.removesuffix("/__init__.py").replace("/", "."): module.docstring.splitlines()[0]
        for module in modules(*PACKAGES)
        if module.path.endswith("__init__.py")
    }
    return [
        (f"`{name}`", docstrings[name], ", ".join(f"`{file}`" for file in START.get(name, "").split()))
        for name in sorted(docstrings, key=lambda name: (PACKAGES.index(name.partition(".")[0]), name))
    ]


def module_rows() -> list[tuple[str, str]]:
    """Return each module with the first line of its docstring."""
    return [
        (f"`{module.path}`", module.docstring.splitlines()[0])
        for module in modules(*PACKAGES)
        if not module.path.endswith("__init__.py")
    ]
