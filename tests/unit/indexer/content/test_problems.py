"""The nearest value that a problem names."""

from tests.support.world_files import FILES, problems


def test_finds_the_nearest_of_many_values() -> None:
    slugs = [
        f"{kind}-{material}-{number}" for kind in ("lamp", "mat") for material in ("oak", "tin") for number in range(50)
    ]
    rows = [f"{slug},{slug},Software,assistive,,,fair\n" for slug in slugs]
    links = [f"checklists,{slug}x,,source,fair\n" for slug in slugs]
    changes = {
        "products.csv": FILES["products.csv"] + "".join(rows).encode(),
        "solution_products.csv": FILES["solution_products.csv"] + "".join(links).encode(),
    }
    messages = problems(changes)
    assert messages[0] == "solution_products.csv:6: unknown product 'lamp-oak-0x'; nearest: 'lamp-oak-0'"
    assert len(messages) == len(slugs)
