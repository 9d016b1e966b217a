from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.server.security import tokens

if TYPE_CHECKING:
    import pathlib


def test_a_token_is_made_once_and_kept_for_its_owner_alone(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "data" / "token"
    token, is_new = tokens.ensure(path)
    assert is_new
    assert len(token) > 40
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert tokens.ensure(path) == (token, False)
    assert tokens.ensure(tmp_path / "other")[0] != token


@pytest.mark.parametrize("text", [b"", b"short", b"two words of enough letters", b"\xff" * 40])
def test_what_is_no_token_is_refused(tmp_path: pathlib.Path, text: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(text)
    with pytest.raises(InputError, match="holds no token") as refused:
        tokens.read(path)
    assert refused.value.file == str(path)
