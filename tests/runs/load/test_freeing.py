from __future__ import annotations

import ctypes
import sys
import weakref

import pytest

from kubestage.runs.load import freeing


class Library:
    """A C library that counts how often it is to give memory back."""

    def __init__(self) -> None:
        self.trims: list[int] = []

    def malloc_trim(self, pad: int) -> None:
        self.trims.append(pad)


def test_memory_is_given_back_where_the_library_can(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    freeing.give_back()
    assert library.trims == [0]


def test_little_is_left_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    freeing.give_back(sys.getallocatedblocks() * 2)
    assert library.trims == []
    freeing.give_back(sys.getallocatedblocks() // 2)
    assert library.trims == [0]


class Part:
    """One that knows another, which knows it."""

    other: Part


def test_parts_that_know_each_other_go() -> None:
    one, other = Part(), Part()
    one.other, other.other = other, one
    left = weakref.ref(one)
    del one, other
    freeing.give_back()
    assert left() is None


@pytest.mark.parametrize("error", [OSError, TypeError])
def test_other_libraries_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(name: object) -> None:
        raise error(name)

    monkeypatch.setattr(ctypes, "CDLL", fail)
    freeing.give_back()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    freeing.give_back()
