"""Every option that names a module reports in the same way why it cannot be imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs.inputs import autoscaler_files, measure_files, plugin_files
from kubestage.runs.load import measurement_files

if TYPE_CHECKING:
    import pathlib

    from kubestage.runs.inputs.named_module import ModuleOption

OPTIONS = [
    each._OPTION for each in (autoscaler_files, measure_files, plugin_files, measurement_files)
]


@pytest.fixture(params=OPTIONS, ids=lambda each: each.flag)
def option(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch,
           tmp_path: pathlib.Path) -> ModuleOption:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "named_broken.py").write_text("x = 1\ndef (\n")
    (tmp_path / "named_needy.py").write_text("import surely_not_installed\n")
    found: ModuleOption = request.param
    return found


def test_a_module_that_is_no_python_is_reported_at_its_line(option: ModuleOption) -> None:
    with pytest.raises(InputError, match="SyntaxError") as caught:
        option.module("named_broken", "named_broken:X")
    assert caught.value.line == 2
    assert (caught.value.file or "").endswith("named_broken.py")


def test_what_a_module_imports_is_named(option: ModuleOption) -> None:
    with pytest.raises(InputError, match="imports surely_not_installed, which is not installed"):
        option.module("named_needy", "named_needy:X")


def test_a_module_that_is_not_there_has_a_fix(option: ModuleOption) -> None:
    with pytest.raises(InputError, match="there is no module named_nowhere") as caught:
        option.module("named_nowhere", "named_nowhere:X")
    assert caught.value.path == option.flag
    assert f"path/to/named_nowhere.py:{option.noun}" in (caught.value.fix or "")
