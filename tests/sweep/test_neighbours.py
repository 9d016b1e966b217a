"""Modules beside a plugin's file are inputs of a sweep, as the file is."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.sweep.base_run import Base
from kubestage.sweep.rows import Task
from tests.sweep import inputs

if TYPE_CHECKING:
    import pathlib

PLUGIN = """
import json
from beside_{tag}.inner import liked
import plain_{tag} as plain


class Liking:
    name = "Liking"

    def __init__(self, args, handle): ...

    def score_node(self, state, pod, node):
        from later_{tag} import points
        return points(node.name == liked())
"""
CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Liking, weight: 100}]}}
"""
TASK = Task(0, {}, 1)
RUN = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())())"


@pytest.fixture
def folder(tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> pathlib.Path:
    """A plugin with a module, a package and one that is imported late; names are a test's own."""
    tag = request.node.name
    place = tmp_path / "own"
    (place / f"beside_{tag}").mkdir(parents=True)
    (place / "liking.py").write_text(PLUGIN.format(tag=tag))
    (place / f"beside_{tag}" / "__init__.py").write_text("")
    (place / f"beside_{tag}" / "inner.py").write_text("from .name import liked\n")
    (place / f"beside_{tag}" / "name.py").write_text("def liked(): return 'n2'\n")
    (place / f"plain_{tag}.py").write_text(f"import later_{tag}\n")
    (place / f"later_{tag}.py").write_text("def points(is_liked): return 100 * is_liked\n")
    (place / "config.yaml").write_text(CONFIG)
    (place / "not_imported.py").write_text("raise RuntimeError\n")
    inputs.cluster(tmp_path)
    return place


def _base(folder: pathlib.Path, tmp_path: pathlib.Path) -> Base:
    cluster = str(tmp_path / "cluster")
    plugin, config = f"{folder}/liking.py:Liking", str(folder / "config.yaml")
    base = Base.read(["run", cluster, "--plugin", plugin, "--config", config])
    base.raise_problem()
    return base


class _Whole:
    """A run as another machine gets it."""

    def __init__(self, base: Base) -> None:
        self.base = base

    def __call__(self) -> str:
        row = self.base(TASK)
        return row.error or str(row.measures["scheduled"])


def test_a_machine_without_the_folder_imports_what_was_read(
    folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    base = _base(folder, tmp_path)
    expected = base(TASK)
    assert expected.error is None
    sent = pickle.dumps(_Whole(base))
    shutil.rmtree(folder)
    ran = subprocess.run([sys.executable, "-c", RUN], input=sent, capture_output=True, check=True)
    assert ran.stdout.decode().strip() == str(expected.measures["scheduled"])
    assert "own/plain" not in ran.stderr.decode()


def test_their_content_is_part_of_the_key_and_other_files_are_not(
    folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    before = _base(folder, tmp_path)
    (folder / "not_imported.py").write_text("raise ValueError\n")
    assert _base(folder, tmp_path).key(TASK) == before.key(TASK)
    name = next(folder.glob("beside_*/name.py"))
    name.write_text("def liked(): raise RuntimeError('changed')\n")
    after = _base(folder, tmp_path)
    assert after.key(TASK) != before.key(TASK)
    error = after(TASK).error
    assert error is not None
    assert "changed" in error


def test_a_link_finds_the_neighbours_of_its_target(
    folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    elsewhere = tmp_path / "links"
    elsewhere.mkdir()
    (elsewhere / "liking.py").symlink_to(folder / "liking.py")
    (elsewhere / "config.yaml").write_text(CONFIG)
    base = _base(elsewhere, tmp_path)
    sent = pickle.dumps(_Whole(base))
    shutil.rmtree(folder)
    ran = subprocess.run([sys.executable, "-c", RUN], input=sent, capture_output=True, check=True)
    assert ran.stdout.decode().strip() == str(base(TASK).measures["scheduled"])
