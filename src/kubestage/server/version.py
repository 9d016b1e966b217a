"""The body of ``/version``: which Kubernetes this server stands in for."""

from __future__ import annotations

import platform
import sys
from typing import Final

import kubestage

MAJOR: Final = "1"
MINOR: Final = "36"
KUBERNETES: Final = f"v{MAJOR}.{MINOR}.4"


def document() -> dict[str, str]:
    """What clients read before anything else.

    The name of this server follows a plus sign, as other distributions have it: it takes no part
    when versions are compared, so that charts which demand v1.36.4 are content.
    """
    return {
        "major": MAJOR,
        "minor": MINOR,
        "emulationMajor": MAJOR,
        "emulationMinor": MINOR,
        "minCompatibilityMajor": MAJOR,
        "minCompatibilityMinor": "35",
        "gitVersion": f"{KUBERNETES}+kubestage.{kubestage.__version__}",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{sys.platform}/{_architecture()}",
    }


def _architecture() -> str:
    """The processor by Go's name."""
    names = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}
    return names.get(platform.machine(), platform.machine())
