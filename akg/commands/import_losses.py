"""Stops an import that would replace much by little: compares the tables of the next build with and without it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from api.settings import Settings, SettingsError, content_folder, imports_folder, mappings_folder, overlay_folders
from indexer.content.loader import load_content, read_package
from indexer.content.problems import ContentError
from indexer.content.rows import Content
from indexer.graph.build import MIN_IMPORTANCE
from indexer.imports import store
from indexer.imports.export_tables import KIND as TABLES
from indexer.merge import merge
from indexer.overlays.folder import OverlayError
from indexer.release.losses import Guard, Loss, key_of, loss_lines
from schema.vocabulary import read_vocabulary

USE_AN_OVERLAY = "An import of tables replaces the content. To add to it, use an overlay: `akg overlay new`."
BREAKS_OVERLAY = (
    "With this import, an overlay would no longer fit, and builds would stop. Nothing was changed. "
    "--allow-loss imports anyway."
)
Store = Callable[[Path], store.Manifest]  # stores an import in a folder of imports


def require_small_loss(settings: Settings, work: Path, name: str, store_into: Store) -> None:
    """Raise ImportDataError with examples if the next build would lose too much by the import of this name.

    `work` is an empty folder. Content that cannot be read now is not compared: no build could use it.
    """
    folder, tables = imports_folder(settings), content_folder(settings)
    vocabulary = read_vocabulary(mappings_folder(settings))
    try:
        content, package, overlays = load_content(tables, vocabulary), read_package(tables), overlay_folders(settings)
        before = merge(content, package, vocabulary, folder, overlays).content
    except (ContentError, SettingsError, store.ImportDataError, FileNotFoundError):
        return
    trial = work / "trial"
    _link_others(folder, trial, name)
    store_into(trial)
    try:
        merged = merge(content, package, vocabulary, trial, overlays).content
    except OverlayError as error:
        raise store.ImportDataError(f"{BREAKS_OVERLAY}\n{error}") from None
    after = set(map(key_of, content_lines(merged)))
    guard = Guard(vocabulary.edges, settings.max_loss)
    if losses := list(guard.losses(content_lines(before), after.__contains__)):
        hint = f"\n{USE_AN_OVERLAY}" if name == TABLES else ""
        raise store.ImportDataError(f"{_message(losses, settings.max_loss)}{hint}")


def _message(losses: Sequence[Loss], max_share: float) -> str:
    heading = f"The import would lose a whole type, or more than {max_share:.0%} of one:"
    advice = "Nothing was changed. If the loss is intended, use --allow-loss."
    return "\n".join([heading, *loss_lines(losses, "now", "with the import"), advice])


def content_lines(content: Content) -> Iterator[tuple[str, ...]]:
    """Yield every entity and stated edge once, in the form of stored fingerprints."""
    yield from ((entity.id, entity.name, "") for entity in content.entities)
    edges = [(link.edge, link.source, link.target) for link in content.links]
    edges += [("recommends", row.disability, row.solution) for row in content.recommendations]
    edges += [("recommends", row.entity, row.solution) for row in content.school]
    edges += [("requires", row.occupation, row.ability) for row in content.ratings if row.importance >= MIN_IMPORTANCE]
    edges += [("related_occupation", row.occupation, row.related) for row in content.related_occupations]
    yield from ((*edge, "") for edge in dict.fromkeys(edges))


def _link_others(folder: Path, trial: Path, name: str) -> None:
    """Make a folder that has the imports of another one, except that of this name."""
    trial.mkdir()
    for manifest in store.list_imports(folder):
        if manifest.name != name:
            file = f"{manifest.name}{store.MANIFEST_SUFFIX}"
            (trial / file).write_bytes((folder / file).read_bytes())
            (trial / manifest.folder).symlink_to((folder / manifest.folder).resolve())
