"""Commands in a pid namespace of their own, as in a container on the same host."""

import shutil
import subprocess

NAMESPACE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc")


def has_pid_namespaces() -> bool:
    """Return whether this user may make pid namespaces."""
    if shutil.which(NAMESPACE[0]) is None:
        return False
    return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0  # noqa: S603 - constant
