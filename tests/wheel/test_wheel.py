"""The wheel has all that a user needs, and it is what runs."""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import subprocess
import tomllib
import urllib.request
import zipfile
from typing import TYPE_CHECKING

import kubestage
from tests.deadlines import HANG_S
from tests.installed import ROOT, environment
from tests.server.served import Served

if TYPE_CHECKING:
    from tests.installed import Installed


def test_the_installed_package_is_the_wheel(installed: Installed, tmp_path: pathlib.Path) -> None:
    done = installed.run("--version", cwd=tmp_path)
    assert done.stdout.startswith(f"kubestage {kubestage.__version__}\n")
    code = "import kubestage; print(kubestage.__file__)"
    where = subprocess.run(
        [str(installed.python), "-c", code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert pathlib.Path(where).is_relative_to(installed.packages)
    assert not pathlib.Path(where).is_relative_to(ROOT)


def test_every_file_of_the_package_is_in_it(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = set(wheel.namelist())
    package = ROOT / "src" / "kubestage"
    for place, prefix in ((package, "kubestage"), (ROOT / "examples", "kubestage/examples")):
        files = {
            f"{prefix}/{each.relative_to(place).as_posix()}"
            for each in place.rglob("*")
            if each.is_file() and not {"__pycache__", ".kubestage", "runs"} & set(each.parts[-3:])
        }
        assert files - names == set()
    assert "kubestage/py.typed" in names
    assert any(name.startswith("kubestage/ui/assets/") for name in names)
    assert not any(name.startswith("tests/") for name in names)


def test_examples_come_with_it(installed: Installed, tmp_path: pathlib.Path) -> None:
    listed = installed.run("examples", cwd=tmp_path).stdout
    folders = sorted(each.parent.name for each in (ROOT / "examples").glob("*/README.md"))
    assert [line.split()[0] for line in listed.splitlines()[1:-2]] == folders
    assert installed.run("examples", "07", "--out", "mine", cwd=tmp_path).returncode == 0
    done = installed.run("run", ".", cwd=tmp_path / "mine")
    assert (done.returncode, done.stderr) == (0, "")
    expected = (ROOT / "examples" / "07-preemption" / "expected.txt").read_text()
    assert done.stdout
    assert expected.startswith(done.stdout)


def test_settings_come_with_it(installed: Installed, tmp_path: pathlib.Path) -> None:
    done = installed.run("settings", "-o", "json", cwd=tmp_path)
    by_name = {each["name"]: each for each in json.loads(done.stdout)["settings"]}
    assert by_name["hpa.tolerance"]["default"] == "0.1"
    assert by_name["hpa.tolerance"]["meaning"]


def test_the_page_comes_with_it(installed: Installed) -> None:
    started = Served(program=[str(installed.program)], variables=environment())
    with started as served:
        for path, text in (("/", "<title>"), ("/ui/js/main.js", "import ")):
            request = urllib.request.Request(served.address + path, headers={"Accept": "text/html"})
            with urllib.request.urlopen(request, timeout=HANG_S) as response:
                assert text in response.read().decode()


def test_what_is_declared() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    extras = set(project["optional-dependencies"])
    everything = " ".join(project["optional-dependencies"]["all"])
    assert all(extra in everything for extra in extras - {"all", "dev"})
    versions = [each.rpartition(" ")[2] for each in project["classifiers"] if ":: 3." in each]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert project["requires-python"] == ">=3.11"
    assert importlib.metadata.version("kubestage") == kubestage.__version__
