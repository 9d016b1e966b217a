"""The hash FNV-1a as it is defined: byte by byte."""

from __future__ import annotations


def fnv_1a(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 % 2**32
    return value
