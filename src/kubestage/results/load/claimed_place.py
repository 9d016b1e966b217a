"""A directory that is claimed before a run and filled after it, all at once."""

from __future__ import annotations

import abc
import contextlib
import pathlib
from typing import TYPE_CHECKING, ClassVar, Final, Self

from kubestage.errors import InputError
from kubestage.files.claiming import Claim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FIX: Final = "name another directory with --report-dir"


class ClaimedPlace(abc.ABC):
    """Files are put beside and moved when all are whole; the directory is as it was until then.

    Use it as a context manager. Files of an earlier report go, those of others stay; where a name
    is taken by a file of another program, the directory is refused at once.
    """

    fixed: ClassVar[tuple[str, ...]]
    """The files that are always written; the last one says that the report is whole."""

    def __init__(self, path: str | pathlib.Path) -> None:
        self.path = pathlib.Path(path)
        self._refuse_foreign()
        with self._error_context():
            self._claim = Claim(self.path)
        self._beside = self._claim.beside

    @abc.abstractmethod
    def earlier(self) -> list[str]:
        """The files of the report that is there; none if there is no whole one."""

    def discard(self) -> None:
        """Leave the directory as it was found, or as it was filled."""
        self._claim.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def place(self, name: str) -> pathlib.Path:
        """Where a file is to be written for now."""
        return self._beside / name

    def put(self, name: str, text: str) -> None:
        """Write a text as it is."""
        self.place(name).write_bytes(text.encode(errors="replace"))

    def move(self, names: Sequence[str]) -> None:
        """Put what was written in its place."""
        last = self.fixed[-1]
        with self._error_context():
            # In between there is no report here, rather than a mixture of two.
            for name in [last, *self.earlier()]:
                (self.path / name).unlink(missing_ok=True)
            for name in sorted(names, key=last.__eq__):
                self.place(name).replace(self.path / name)

    def _refuse_foreign(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise InputError("is a file", file=str(self.path), fix=_FIX)
        with self._error_context():
            there = [name for name in self.fixed if (self.path / name).exists()]
        if there and not self.earlier():
            problem = f"holds {', '.join(there)}, which this would replace"
            raise InputError(problem, file=str(self.path), fix=_FIX)

    @contextlib.contextmanager
    def _error_context(self) -> Iterator[None]:
        """Say of which directory it is that it cannot be written."""
        try:
            yield
        except OSError as error:
            problem = f"cannot be written: {error.strerror}"
            raise InputError(problem, file=str(self.path), fix=_FIX) from error
