"""`akg content`, and invalid input of `akg market`."""

from pathlib import Path

from typer.testing import CliRunner

from akg.cli import app
from akg.commands.content import content_app
from indexer.content.loader import is_described
from indexer.content.rows import Content
from tests.support.project import ROOT, WORLD
from tests.support.world_files import copy_world


def test_the_check_command_counts_valid_rows(content: Content) -> None:
    result = CliRunner().invoke(content_app, ["check", "--content", str(WORLD)])
    assert result.exit_code == 0
    assert result.stdout == (
        "No problems: 5 sources, 8 disabilities, 6 limitations, 2 work-related functions, 8 solutions, 4 products, "
        "2 vendors, 3 occupations, 3 abilities, 17 aliases, 65 relations; retired ids: 2; "
        f"version {content.version}.\n"
    )


def test_the_check_command_prints_every_problem_and_fails(tmp_path: Path) -> None:
    world = copy_world(tmp_path / "world")
    with (world / "redirects.csv").open("a") as table:
        table.write("ability:a,ability:b\nvendor:a,vendor:quiet-work\n")
    result = CliRunner().invoke(content_app, ["check", "--content", str(world)])
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "world/redirects.csv:4: unknown ability 'b'; valid: '1.A.1.d.1', '1.A.3.b.1', '1.A.4.a.1'",
        "world/redirects.csv:5: unknown vendor 'quiet-work'; nearest: 'quiet-works'",
        "2 problems",
    ]


def test_the_stats_command_shows_tables_and_gaps() -> None:
    result = CliRunner().invoke(content_app, ["stats", "--content", str(WORLD)])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "       8  disability" in lines
    assert "      18  recommendations.csv" in lines
    assert "       2  limitations without solutions" in lines
    assert "            limitation:blind" in lines


def test_the_command_rejects_invalid_input(tmp_path: Path) -> None:
    assert is_described(ROOT / "content", "market.csv")
    run = CliRunner()
    env = {"AKG_DATA": str(tmp_path), "COLUMNS": "200"}
    rejected = run.invoke(app, ["market", "verify", "--content", str(WORLD)], env=env)
    assert (rejected.exit_code, "does not describe market.csv" in rejected.stderr) == (1, True)
    rejected = run.invoke(app, ["market", "verify", "--content", str(WORLD), "--type", "solution"], env=env)
    assert (rejected.exit_code, rejected.stderr) == (2, "--type is 'solution'; valid: product, vendor\n")
