"""Try the wheel with every Python that is to be had: 3.11 to 3.14, as far as they are on the PATH.

Run ``python tools/test_pythons.py [--tests PATH ...] [PYTHON ...]``; a PYTHON is a version such as
3.13, or the path of an interpreter. Each gets an environment below ``build/pythons`` with the
wheel, what it needs and pytest; then the tests run there, by default some of the command line and
those of the tutorial. A version that is not there is reported, and is a failure if it was named.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
from typing import Final

ROOT: Final = pathlib.Path(__file__).resolve().parents[1]
VERSIONS: Final = ("3.11", "3.12", "3.13", "3.14")
TESTS: Final = ("tests/docs/test_tutorial.py", "tests/cli/test_run.py", "tests/cli/test_check.py")
PACKAGES: Final = (
    "build", "hatchling", "hypothesis", "packaging", "pytest", "pytest-randomly", "pytest-xdist",
)  # fmt: skip


def main() -> int:
    """Try each Python; the exit code is 1 if any fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    parser.add_argument("--tests", nargs="+", default=list(TESTS), metavar="PATH")
    options = parser.parse_args()
    named = options.pythons or list(VERSIONS)
    results = {name: _tried(name, options.tests) for name in named}
    print()
    for name, result in results.items():
        print(f"{name:<8} {result}")
    failed = [each for each in results.values() if each == "failed"]
    missing = [name for name, each in results.items() if each == "not there" and options.pythons]
    return 1 if failed or missing else 0


def _tried(name: str, tests: list[str]) -> str:
    python = interpreter(name)
    if python is None:
        return "not there"
    print(f"== {name}: {python}", flush=True)
    place = ROOT / "build" / "pythons" / pathlib.Path(name).name
    shutil.rmtree(place, ignore_errors=True)
    own = place / "env" / "bin" / "python"
    wheels = place / "dist"
    steps = [
        [python, "-m", "venv", str(place / "env")],
        [str(own), "-m", "pip", "install", "--quiet", *PACKAGES],
        [str(own), "-m", "build", "--wheel", "--outdir", str(wheels), str(ROOT)],
    ]
    if not all(_is_done(step) for step in steps):
        return "failed"
    [wheel] = wheels.glob("*.whl")
    steps = [
        [str(own), "-m", "pip", "install", "--quiet", f"{wheel}[cel,server]"],
        [str(own), "-m", "pytest", "-q", "-n", "2", *tests],
    ]
    return "passed" if all(_is_done(step) for step in steps) else "failed"


def interpreter(name: str) -> str | None:
    """The Python of a version, or of a path, if it works."""
    found = shutil.which(name) if "/" in name else shutil.which(f"python{name}")
    if found is None:
        return None
    # What is on the PATH may be a placeholder of a version manager.
    done = subprocess.run([found, "-c", "import venv"], capture_output=True, check=False)
    return None if done.returncode else found


def _is_done(step: list[str]) -> bool:
    return subprocess.run(step, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
