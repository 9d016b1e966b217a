"""What is moved."""

from __future__ import annotations


class Entity:
    """A discrete, individually identifiable thing that stands in a Stock and can be moved.

    It carries as little logic as possible: what happens to it is the business of the Stocks
    that it passes. A subclass may add attributes (when it arrived, how large it is). Two
    entities are equal only if they are the same one.
    """

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"
