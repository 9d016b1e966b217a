"""Fetch the files of others that the page loads, from npm, at the versions that are named here.

Run ``python tools/vendor_page.py``; it needs ``npm``. It writes ``src/kubestage/ui/assets/vendor``:
the files, the licences of all that is in them, and ``manifest.json`` with versions and hashes. The
result is the same bytes every time; ``tests/ui/test_vendor.py`` compares them with the manifest.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import subprocess
import tarfile
import tempfile

FOLDER = pathlib.Path(__file__).parent.parent / "src/kubestage/ui/assets/vendor"

# Each file: the package that it comes from, its version, and its path there. The versions are those
# that vl-convert draws with, so that a picture and the page are the same.
FILES = {
    "vega.min.js": ("vega", "6.2.0", "build/vega.min.js"),
    "vega-lite.min.js": ("vega-lite", "6.4.1", "build/vega-lite.min.js"),
    "vega-interpreter.js": ("vega-interpreter", "2.2.1", "build/vega-interpreter.js"),
}
# What vega.min.js holds of others; their licences go along.
INSIDE = {
    "d3-array": "3.2.5",
    "d3-color": "3.1.1",
    "d3-delaunay": "6.0.6",
    "d3-dispatch": "3.0.2",
    "d3-dsv": "3.0.2",
    "d3-force": "3.0.1",
    "d3-format": "3.1.3",
    "d3-geo": "3.1.2",
    "d3-geo-projection": "4.0.0",
    "d3-hierarchy": "3.1.3",
    "d3-interpolate": "3.0.2",
    "d3-path": "3.1.1",
    "d3-quadtree": "3.0.2",
    "d3-scale": "4.0.3",
    "d3-scale-chromatic": "3.1.1",
    "d3-shape": "3.2.1",
    "d3-time": "3.1.1",
    "d3-time-format": "4.1.1",
    "d3-timer": "3.0.2",
    "delaunator": "5.1.0",
    "internmap": "2.0.3",
    "robust-predicates": "3.0.3",
    "topojson-client": "3.1.0",
}
# A browser cannot resolve the name of a package. Vega has all of these names, and is loaded before.
BARE_IMPORT = "import { ascending, isString, DisallowedObjectProperties } from 'vega-util';"
FROM_VEGA = "const { ascending, isString, DisallowedObjectProperties } = globalThis.vega;"
SOURCE_MAP = "//# sourceMappingURL="


def unpack(name: str, version: str, folder: pathlib.Path) -> tuple[pathlib.Path, str]:
    """Fetch a package; the folder of its files, and the SHA-256 of its archive."""
    command = ["npm", "pack", f"{name}@{version}", "--silent", "--pack-destination", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    archive = folder / f"{name}-{version}.tgz"
    target = folder / name
    with tarfile.open(archive) as opened:
        opened.extractall(target, filter="data")
    return target / "package", hashlib.sha256(archive.read_bytes()).hexdigest()


def browser_text(text: str) -> str:
    """A file as a browser can load it: no names of packages, no maps that are not there."""
    lines = text.replace(BARE_IMPORT, FROM_VEGA).rstrip("\n").split("\n")
    return "\n".join(line for line in lines if not line.startswith(SOURCE_MAP)) + "\n"


def licence(package: pathlib.Path) -> str:
    """The text of a package's licence; one of Vega's packages has it in the main one only."""
    found = [each for each in package.iterdir() if each.name.upper().startswith("LICENSE")]
    return found[0].read_text().strip() if found else "The licence of vega, which is above."


def vendor(folder: pathlib.Path) -> None:
    """Write all files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, licences = [], []
    with tempfile.TemporaryDirectory() as place:
        temporary = pathlib.Path(place)
        for file, (name, version, path) in FILES.items():
            package, archive = unpack(name, version, temporary)
            text = browser_text((package / path).read_text())
            (folder / file).write_text(text)
            digest = hashlib.sha256(text.encode()).hexdigest()
            rows.append(
                {
                    "file": file,
                    "package": name,
                    "version": version,
                    "archiveSha256": archive,
                    "sha256": digest,
                }
            )
            licences.append(f"{name} {version}\n\n{licence(package)}\n")
        for name, version in INSIDE.items():
            package, _ = unpack(name, version, temporary)
            licences.append(f"{name} {version} (in vega.min.js)\n\n{licence(package)}\n")
    (folder / "LICENSES.txt").write_text(("\n" + "-" * 80 + "\n\n").join(licences))
    (folder / "manifest.json").write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    vendor(FOLDER)
