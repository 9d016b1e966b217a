"""Paths stay behind the wall, however they are written."""

from __future__ import annotations

import pytest

from kubestage.clusterloader.files import Texts, joined
from kubestage.errors import InputError

FILES = Texts({"a/main.yaml": "main", "a/sub/x.yaml": "x", "b/y.yaml": "y"}, "a")


@pytest.mark.parametrize("path", ["sub/x.yaml", "/sub/x.yaml", "./sub//x.yaml", "../a/sub/x.yaml"])
def test_a_path_starts_at_the_configurations_folder_also_with_a_slash(path: str) -> None:
    assert FILES.read(path) == "x"


def test_a_wider_wall_lets_a_configuration_reach_its_neighbours() -> None:
    assert FILES.read("../b/y.yaml") == "y"


@pytest.mark.parametrize("path", ["../x", "sub/../../x", "..", "/../x", "sub\\..\\..\\x", "a\0b"])
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="leads out of the folder"):
        joined("", path)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"nope\.yaml: no such file"):
        FILES.read("nope.yaml")


def test_folders_exist_but_are_no_files() -> None:
    assert FILES.exists("sub")
    assert not FILES.is_file("sub")
    assert FILES.is_file("main.yaml")
    assert not FILES.exists("su")
