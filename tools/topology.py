"""Write what the table of types does not say about ownership: structs in one piece, key defaults.

Reads the Go declarations of a Kubernetes source tree and keeps two facts: which structs are marked
atomic, and the literal defaults of scalar fields. The result is
`src/kubestage/objects/data/topology.txt`; run this once per Kubernetes version::

    python tools/topology.py KUBERNETES_SOURCE > .../objects/data/topology.txt

One line a fact::

    atomic core/v1.ObjectReference
    default core/v1.ServicePort.protocol "TCP"
"""

from __future__ import annotations

import json
import pathlib
import re
import sys

from go_types import PACKAGES

STRUCT = re.compile(r"^type (\w+) struct ?\{")
FIELD = re.compile(r'^\t\w+\s+([^`\s]+)\s+`[^`]*json:"([^",]+)')
ATOMIC = ("// +structType=atomic", "// +mapType=atomic")


def facts(package: str, lines: list[str]) -> list[str]:
    """What the lines of one Go file say."""
    found: list[str] = []
    atomic, default, name = False, "", ""
    for line in lines:
        text = line.strip()
        if text in ATOMIC and not line.startswith("\t"):
            atomic = True
        elif text.startswith("// +default="):
            default = text.partition("=")[2]
        elif match := STRUCT.match(line):
            name = f"{package}.{match.group(1)}"
            if atomic:
                found.append(f"atomic {name}")
            atomic = False
        elif not text.startswith("//"):
            match = FIELD.match(line)
            if match and default and not default.startswith("ref("):
                found.append(f"default {name}.{match.group(2)} {json.dumps(json.loads(default))}")
            atomic, default = False, ""
    return found


def main() -> None:
    """Print the facts of the Kubernetes source tree named on the command line."""
    source = pathlib.Path(sys.argv[1])
    found: list[str] = []
    for package, folder in PACKAGES.items():
        for path in sorted((source / folder).glob("*.go")):
            if not path.name.startswith(("zz_", "generated")):
                found += facts(package, path.read_text().splitlines())
    print("\n".join(sorted(set(found))))


if __name__ == "__main__":
    main()
