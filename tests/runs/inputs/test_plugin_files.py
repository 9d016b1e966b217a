"""A person's plugins are found, checked, and refused with a reason."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import textwrap

import pytest

from kubestage.cli import failures
from kubestage.errors import InputError
from kubestage.runs.inputs import plugin_files
from kubestage.scheduler import config

PLUGIN = """
    class Even:
        name = "Even"

        def __init__(self, args, handle):
            self.args = args

        def score_node(self, state, pod, node):
            return 1
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "mine.py") -> None:
    pathlib.Path(name).write_text(textwrap.dedent(text))


def enabling(*names: str) -> config.SchedulerConfiguration:
    return config.from_dict(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [
                {"plugins": {"multiPoint": {"enabled": [{"name": name} for name in names]}}}
            ],
        }
    )


def test_a_class_is_found_in_a_file() -> None:
    write(PLUGIN)
    (found,) = plugin_files.load(["mine.py:Even"], enabling("Even")).values()
    assert (found.name, found({"a": 1}, None).args) == ("Even", {"a": 1})


def test_a_class_is_found_in_a_module_of_this_folder() -> None:
    pathlib.Path("package_here").mkdir()
    write("", "package_here/__init__.py")
    write(PLUGIN, "package_here/inner.py")
    assert list(plugin_files.load(["package_here.inner:Even"], config.default())) == ["Even"]


def test_a_file_may_import_its_neighbours() -> None:
    write("LIMIT = 3\n", "neighbour_of_mine.py")
    write("import neighbour_of_mine\n" + textwrap.dedent(PLUGIN))
    assert "Even" in plugin_files.load(["mine.py:Even"], config.default())


def test_a_plugin_that_no_profile_enables_is_unused() -> None:
    write(PLUGIN)
    classes = plugin_files.load(["mine.py:Even"], config.default())
    assert plugin_files.unused(classes, config.default()) == ["Even"]
    assert plugin_files.unused(classes, enabling("Even")) == []


CATALOGUE: dict[str, tuple[str, str, str, str | None]] = {
    "no class named": (
        "mine",
        "",
        "--plugin: mine: names no class",
        "write it as module:Class or file.py:Class",
    ),
    "only a file": (
        "mine.py",
        PLUGIN,
        "--plugin: mine.py: names no class",
        "it has Even: write it as module:Class or file.py:Class",
    ),
    "missing file": ("other.py:Even", "", "other.py: no such file", None),
    "missing module": (
        "nowhere_at_all:Even",
        "",
        "--plugin: nowhere_at_all:Even: there is no module nowhere_at_all",
        "install it, or name its file: path/to/nowhere_at_all.py:Class",
    ),
    "missing class": (
        "mine.py:Evn",
        PLUGIN,
        "--plugin: mine.py:Evn: has no class Evn",
        "it has Even: write it as module:Class or file.py:Class",
    ),
    "not a class": (
        "mine.py:even",
        "even = 2\n",
        "--plugin: mine.py:even: has no class even",
        "a plugin is a class with a name and __init__(self, args, handle)",
    ),
    "nameless": (
        "mine.py:Odd",
        "class Odd:\n    def score_node(self, state, pod, node): ...\n",
        "--plugin: mine.py:Odd: has no name that a configuration could use",
        'give the class a name, as in: name = "Odd"',
    ),
    "no extension point": (
        "mine.py:Odd",
        "class Odd:\n    name = 'Odd'\n    def rate(self, state, pod, node): ...\n",
        "--plugin: mine.py:Odd: claims no extension point",
        (
            "define one of its methods, such as filter_node or score_node; "
            "kubestage.scheduler.framework lists them"
        ),
    ),
    "misspelt method": (
        "mine.py:Odd",
        "class Odd:\n    name = 'Odd'\n    def scor_node(self, state, pod, node): ...\n",
        (
            "mine.py:3: plugin Odd: there is no method scor_node in the contract; "
            "did you mean score_node?"
        ),
        "rename it to score_node(self, state, pod, node), or to _scor_node if it is your own",
    ),
    "takes no arguments": (
        "mine.py:Odd",
        "class Odd:\n    name = 'Odd'\n    def score_node(self, state, pod, node): ...\n",
        (
            "--plugin: mine.py:Odd: cannot be made from its arguments and a handle: "
            "too many positional arguments"
        ),
        "define __init__(self, args, handle)",
    ),
    "name of a built-in": (
        "mine.py:Even",
        PLUGIN.replace('"Even"', '"NodeName"'),
        '--plugin: mine.py:Even: the name "NodeName" is that of a built-in plugin',
        "rename it, and in the configuration disable the built-in",
    ),
    "broken syntax": ("mine.py:Even", "\n\nclass Even\n", "mine.py:3: SyntaxError: ", None),
    "fails when loaded": (
        "mine.py:Even",
        "x = 1\ny = x / 0\n",
        "mine.py:2: ZeroDivisionError: division by zero",
        None,
    ),
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_bad_plugin_is_told_exactly(name: str) -> None:
    spec, text, problem, fix = CATALOGUE[name]
    write(text)
    with pytest.raises(InputError) as raised:
        plugin_files.load([spec], config.default())
    told, cure = failures.explain(raised.value)
    assert told.startswith(problem)
    assert cure == fix


def test_a_module_that_imports_what_is_missing_is_blamed() -> None:
    write("import nowhere_at_all\n", "needs_more.py")
    with pytest.raises(InputError, match="imports nowhere_at_all, which is not installed"):
        plugin_files.load(["needs_more:Even"], config.default())


def test_two_plugins_of_one_name_are_refused() -> None:
    write(PLUGIN)
    write(PLUGIN, "yours.py")
    with pytest.raises(InputError, match='another plugin is called "Even" already'):
        plugin_files.load(["mine.py:Even", "yours.py:Even"], config.default())


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """A package that offers Even, and one that is never to be imported."""
    folder = tmp_path / "site" / "offer-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: offer\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        f"[{plugin_files.GROUP}]\n"
        "Even = offered_plugin:Even\n"
        "Alias = offered_plugin:Even\n"
        "Broken = not_to_be_imported:Broken\n"
    )
    write(PLUGIN, "site/offered_plugin.py")
    monkeypatch.syspath_prepend(tmp_path / "site")


@pytest.mark.usefixtures("_installed")
def test_an_installed_plugin_is_loaded_when_the_configuration_names_it() -> None:
    assert plugin_files.load([], config.default()) == {}
    assert list(plugin_files.load([], enabling("Even"))) == ["Even"]


@pytest.mark.usefixtures("_installed")
def test_a_plugin_of_the_command_line_goes_before_an_installed_one() -> None:
    write(PLUGIN)
    (found,) = plugin_files.load(["mine.py:Even"], enabling("Even")).values()
    assert found.__module__ == "kubestage_plugin_mine"


@pytest.mark.usefixtures("_installed")
def test_an_installed_plugin_must_have_the_name_it_is_offered_by() -> None:
    with pytest.raises(InputError, match='is called "Even", not "Alias"'):
        plugin_files.load([], enabling("Alias"))


def test_an_error_inside_a_plugin_is_told_at_its_line() -> None:
    write(
        "# a comment\n"
        "class Even:\n"
        "    name = 'Even'\n"
        "    def __init__(self, args, handle): ...\n"
        "    def score_node(self, state, pod, node):\n"
        "        return 1 / 0\n"
    )
    classes = plugin_files.load(["mine.py:Even"], config.default())
    with pytest.raises(InputError) as raised, plugin_files.error_context(classes):
        classes["Even"]({}, None).score_node(None, None, None)
    assert failures.explain(raised.value)[0] == "mine.py:6: ZeroDivisionError: division by zero"


def test_an_error_of_our_own_is_not_blamed_on_a_plugin() -> None:
    write(PLUGIN)
    classes = plugin_files.load(["mine.py:Even"], config.default())
    with pytest.raises(ZeroDivisionError), plugin_files.error_context(classes):
        raise ZeroDivisionError
    for error in (ZeroDivisionError, TypeError, SyntaxError):
        with pytest.raises(error), plugin_files.error_context({}):
            raise error


COMPILED = """
    import numba
    import numpy as np

    @numba.njit(cache=True)
    def halves(values):
        return values // 2

    @numba.njit(cache=True)
    def scores(values):
        return halves(values) + 1

    class Compiled:
        name = "Compiled"

        def __init__(self, args, handle): ...

        def score(self, state, pod, columns, rows):
            return scores(rows)
"""
USE = """
import sys
import numpy as np
from kubestage.runs.inputs import plugin_files
from kubestage.scheduler import config
(found,) = plugin_files.load(["mine.py:Compiled"], config.default()).values()
print(found({}, None).score(None, None, None, np.arange(4)).tolist())
module = sys.modules[found.__module__]
print(sum(module.scores.stats.cache_hits.values()))
"""


def test_a_plugin_that_is_compiled_by_numba_is_cached_beside_its_file() -> None:
    pytest.importorskip("numba")
    write(COMPILED)
    printed = [
        subprocess.run(
            [sys.executable, "-c", USE], capture_output=True, text=True, check=True
        ).stdout.split("\n")[:2]
        for _ in range(2)
    ]
    assert printed == [["[1, 1, 2, 2]", "0"], ["[1, 1, 2, 2]", "1"]]
    assert list(pathlib.Path("__pycache__").glob("mine.scores-*.nbc"))
