from __future__ import annotations

from kubestage.golang import hashstructure
from kubestage.golang.hashstructure import Struct


def test_a_string_has_the_fnv_1_hash() -> None:
    assert hashstructure.hash_of("") == 0xCBF29CE484222325
    assert hashstructure.hash_of("a") == 0xAF63BD4C8601B7BE
    assert hashstructure.hash_of("foobar") == 0x340D8765A4DDA9C2


def test_the_order_of_a_slice_does_not_matter() -> None:
    assert hashstructure.hash_of(["a", "b"]) == hashstructure.hash_of(["b", "a"])
    assert hashstructure.hash_of(["a", "b"]) != hashstructure.hash_of(["a", "c"])


def test_the_order_of_a_map_does_not_matter_but_what_belongs_to_what_does() -> None:
    one = hashstructure.hash_of({"a": "1", "b": "2"})
    assert one == hashstructure.hash_of({"b": "2", "a": "1"})
    assert one != hashstructure.hash_of({"a": "2", "b": "1"})


def test_fields_that_are_zero_do_not_count() -> None:
    small = hashstructure.hash_of(Struct("T", [("A", "x")]))
    assert small == hashstructure.hash_of(Struct("T", [("A", "x"), ("B", None)]))
    assert small != hashstructure.hash_of(Struct("U", [("A", "x")]))
    assert small != hashstructure.hash_of(Struct("T", [("B", "x")]))
