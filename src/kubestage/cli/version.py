"""``kubestage version``."""

from __future__ import annotations

import json
import platform
import sys
from typing import Annotated, Final

import kubestage
from kubestage.cli import completion

KUBERNETES_VERSION: Final = "v1.36"


def version(
    output: Annotated[str, completion.output_option("text", "json")] = "text",
) -> None:
    """Print the versions of kubestage, of the Kubernetes it is exact to, and of Python."""
    completion.check_choice(output, ("text", "json"))
    versions = {
        "kubestage": kubestage.__version__,
        "kubernetes": KUBERNETES_VERSION,
        "python": platform.python_version(),
    }
    if output == "json":
        sys.stdout.write(json.dumps(versions, indent=4) + "\n")
        return
    sys.stdout.write(
        f"kubestage {versions['kubestage']}\n"
        f"Kubernetes {versions['kubernetes']} (the version whose rules it follows)\n"
        f"Python {versions['python']}\n"
    )
