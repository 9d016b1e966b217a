from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.sources import reading
from tests.cli.conftest import terminal

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Mapping

    from kubestage.sources.imported import Imported

__all__ = ["imported", "terminal"]


@pytest.fixture
def imported(tmp_path: pathlib.Path) -> Callable[..., Imported]:
    """Import a file with some content, or a folder of files."""

    def read(content: bytes | Mapping[str, bytes], name: str = "source") -> Imported:
        place = tmp_path / name
        if isinstance(content, bytes):
            place.write_bytes(content)
        else:
            for path, data in content.items():
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                (place / path).write_bytes(data)
        return reading.read([str(place)])

    return read
