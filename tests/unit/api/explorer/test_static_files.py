"""Static files: every library is served with its licence."""

import re

import pytest

from api.explorer.static_files import LIBRARIES, LICENCE_FILES, LICENCES, static_file

PHRASES = {  # of the texts that the licence of each library must go with
    "d3.js": ("Copyright 2010-2021 Mike Bostock", "Permission to use, copy, modify, and/or distribute"),
    "swagger-ui.js": ("SmartBear Software Inc.", "TERMS AND CONDITIONS FOR USE, REPRODUCTION", "DOMPurify"),
    "swagger-ui.css": ("SmartBear Software Inc.", "TERMS AND CONDITIONS FOR USE, REPRODUCTION"),
}


def sections() -> dict[str, str]:
    text = static_file(LICENCES).content.decode()
    parts = re.split(r"^(.+)\n\n=+\n", text, flags=re.MULTILINE)[1:]
    return {name: body for names, body in zip(parts[::2], parts[1::2], strict=True) for name in names.split(", ")}


def test_every_library_has_its_licence() -> None:
    assert LICENCE_FILES.keys() == LIBRARIES.keys() == sections().keys()


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_licence_has_its_terms_and_the_copyright_line(library: str) -> None:
    text = sections()[library]
    assert [phrase for phrase in PHRASES[library] if phrase not in text] == []


def test_the_licences_of_swagger_ui_are_those_of_its_version() -> None:
    """Another version needs the files of `npm pack swagger-ui-dist@<version>` in static/licences/swagger-ui-dist."""
    assert b'PACKAGE_VERSION:"5.34.0"' in static_file("swagger-ui.js").content
