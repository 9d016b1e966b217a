"""kubestage as users have it: the wheel, in an environment with nothing but what it declares."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import venv

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = pathlib.Path(__file__).parents[1]
# Kernels would be compiled once more for each new environment; without Numba nothing else differs.
EXTRAS = ("server",)


class Installed:
    """An environment with the wheel."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.wheel = _built(folder / "dist")
        self.python = folder / "env" / "bin" / "python"
        self.program = folder / "env" / "bin" / "kubestage"
        venv.create(folder / "env", symlinks=True, with_pip=False)
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet"]
        words = ["--no-deps", "--no-index", "--disable-pip-version-check", str(self.wheel)]
        subprocess.run([*pip, *words], check=True, env=environment())
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.packages = folder / "env" / "lib" / version / "site-packages"
        for name in sorted(self.dependencies()):
            self._link(importlib.metadata.distribution(name))

    def dependencies(self) -> set[str]:
        """The distributions that the wheel declares, and those that these declare."""
        [metadata] = self.packages.glob("kubestage-*.dist-info")
        own = importlib.metadata.Distribution.at(metadata)
        waiting = _required(own, EXTRAS)
        found: set[str] = set()
        while waiting:
            requirement = waiting.pop()
            name = canonicalize_name(requirement.name)
            known = importlib.metadata.distribution(name)
            waiting += [
                each
                for each in _required(known, tuple(requirement.extras))
                if canonicalize_name(each.name) not in found
            ]
            found.add(name)
        return found

    def run(self, *words: str, cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the program."""
        return subprocess.run(
            [str(self.program), *words],
            cwd=cwd,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    def _link(self, known: importlib.metadata.Distribution) -> None:
        """Have a package of the environment that runs the tests here, too."""
        tops = {file.parts[0] for file in known.files or () if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            place = self.packages / top
            if not place.exists():
                place.symlink_to(pathlib.Path(str(known.locate_file(top))))


def environment() -> dict[str, str]:
    """The variables without those that lead to the sources."""
    left_out = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in left_out}


def _built(folder: pathlib.Path) -> pathlib.Path:
    words = ["--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-m", "build", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = folder.glob("kubestage-*.whl")
    return wheel


def _required(known: importlib.metadata.Distribution, extras: tuple[str, ...]) -> list[Requirement]:
    found = [Requirement(each) for each in known.requires or ()]
    return [
        each
        for each in found
        if each.marker is None
        or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]
