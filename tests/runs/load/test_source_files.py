"""Files of a load on disk, and the wall around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs.load import source_files

if TYPE_CHECKING:
    import pathlib


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    """A project of two loads, and a secret beside it."""
    (tmp_path / "secret").write_text("secret")
    for name in ("one", "two"):
        folder = tmp_path / "project" / name
        (folder / "modules").mkdir(parents=True)
        (folder / "config.yaml").write_text(name)
        (folder / "modules" / "m.yaml").write_text(f"module of {name}")
    return tmp_path / "project"


def test_files_below_the_configuration_are_read(tree: pathlib.Path) -> None:
    files, main = source_files.beside(tree / "one" / "config.yaml")
    assert files.read(main) == "one"
    assert files.read("/modules/m.yaml") == "module of one"
    assert files.exists("modules")
    assert not files.is_file("modules")


@pytest.mark.parametrize("path", ["../two/config.yaml", "../../secret", "modules/../../../secret"])
def test_a_path_may_not_lead_out(tree: pathlib.Path, path: str) -> None:
    files, _ = source_files.beside(tree / "one" / "config.yaml")
    with pytest.raises(InputError, match="leads out of the folder"):
        files.read(path)


def test_a_module_may_lie_beside_the_folder_and_no_other_file(tree: pathlib.Path) -> None:
    files, _ = source_files.beside(tree / "one" / "config.yaml")
    assert files.read_module("modules/m.yaml") == "module of one"
    assert files.read_module("../two/modules/m.yaml") == "module of two"
    with pytest.raises(InputError, match="leads out of the folder"):
        files.read("../two/modules/m.yaml")
    with pytest.raises(InputError, match="leads out of the folder"):
        files.read_module("../../secret")
    (tree / "two" / "link").symlink_to(tree.parent / "secret")
    with pytest.raises(InputError, match="leads out of the folder"):
        files.read_module("../two/link")


def test_a_link_may_not_lead_out(tree: pathlib.Path) -> None:
    (tree / "one" / "link").symlink_to(tree.parent / "secret")
    (tree / "one" / "inside").symlink_to(tree / "one" / "config.yaml")
    files, _ = source_files.beside(tree / "one" / "config.yaml")
    assert files.read("inside") == "one"
    with pytest.raises(InputError, match="leads out of the folder"):
        files.read("link")
    with pytest.raises(InputError, match="leads out of the folder"):
        files.is_file("link")


def test_a_link_may_lead_to_a_neighbour_only_where_a_path_may(tree: pathlib.Path) -> None:
    (tree / "one" / "shared.yaml").symlink_to("../two/modules/m.yaml")
    (tree / "one" / "two").symlink_to("../two")
    files, _ = source_files.beside(tree / "one" / "config.yaml")
    for path in ("shared.yaml", "two/config.yaml", "../two/modules/m.yaml"):
        with pytest.raises(InputError, match="leads out of the folder"):
            files.read(path)
    assert files.read_module("shared.yaml") == "module of two"
    files, _ = source_files.beside(tree / "one" / "config.yaml", tree)
    assert files.read("shared.yaml") == "module of two"
    assert files.is_file("shared.yaml")
    assert files.read("two/config.yaml") == "two"
    (tree / "two" / "link").symlink_to(tree.parent / "secret")
    with pytest.raises(InputError, match="leads out of the folder"):
        files.read("two/link")


def test_a_person_may_widen_the_wall(tree: pathlib.Path) -> None:
    files, main = source_files.beside(tree / "one" / "config.yaml", tree)
    assert files.read(main) == "one"
    assert files.read("../two/modules/m.yaml") == "module of two"
    with pytest.raises(InputError, match="leads out of the folder"):
        files.read("../../secret")


def test_the_wall_must_stand_around_the_configuration(tree: pathlib.Path) -> None:
    with pytest.raises(InputError, match="does not lie below"):
        source_files.beside(tree / "one" / "config.yaml", tree / "two")


def test_what_is_no_text_is_said_to_be_none(tree: pathlib.Path) -> None:
    (tree / "one" / "picture").write_bytes(b"\xff\xfe\x00")
    files, _ = source_files.beside(tree / "one" / "config.yaml")
    with pytest.raises(InputError, match="is no UTF-8 text"):
        files.read("picture")
    with pytest.raises(InputError, match="no such file"):
        files.read("modules")


@pytest.mark.parametrize(
    "path", ["project/two/config.yaml", "two/config.yaml", "x/two/config.yaml"]
)
def test_a_suite_finds_its_files_from_any_folder(tree: pathlib.Path, path: str) -> None:
    suite = tree / "one" / "suite.yaml"
    assert source_files.named_in(suite, path).read_text() == "two"


def test_a_suite_never_takes_a_file_of_another_folder(tree: pathlib.Path) -> None:
    with pytest.raises(InputError, match=r"three/config\.yaml: no such file"):
        source_files.named_in(tree / "one" / "suite.yaml", "project/three/config.yaml")
