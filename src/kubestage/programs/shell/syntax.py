"""The parts of a script."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, Union


class Literal(NamedTuple):
    """Plain text."""

    text: str
    is_quoted: bool


class Variable(NamedTuple):
    """``$name`` and ``${name:-word}``: `operator` is what stands before the word."""

    name: str
    operator: str
    argument: Word
    is_quoted: bool


class Substitution(NamedTuple):
    """``$(script)``."""

    script: Script
    is_quoted: bool


class Arithmetic(NamedTuple):
    """``$((expression))``."""

    expression: Word
    is_quoted: bool


Part: TypeAlias = Union[Literal, Variable, Substitution, Arithmetic]  # noqa: UP007
Word: TypeAlias = tuple[Part, ...]


class Redirection(NamedTuple):
    """``2>> file``: which descriptor, how, and where to; `&` makes it that of another one."""

    descriptor: int
    operator: str
    target: Word


class Simple(NamedTuple):
    """One command with its words."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


class Pipeline(NamedTuple):
    """``a | b``."""

    commands: tuple[Command, ...]
    is_negated: bool


class Either(NamedTuple):
    """``a && b`` and ``a || b``."""

    left: Command
    operator: str
    right: Command


class Background(NamedTuple):
    """``a &``."""

    command: Command


class If(NamedTuple):
    """``if a; then b; else c; fi``; `elif` is an If within `otherwise`."""

    condition: Script
    body: Script
    otherwise: Script


class While(NamedTuple):
    """``while`` and ``until``."""

    condition: Script
    body: Script
    is_until: bool


class For(NamedTuple):
    """``for name in words``."""

    name: str
    words: tuple[Word, ...] | None
    body: Script


class Case(NamedTuple):
    """``case word in pattern) script;; esac``."""

    word: Word
    branches: tuple[tuple[tuple[Word, ...], Script], ...]


class Group(NamedTuple):
    """``{ a; }`` and ``( a )``, and what is done with its output."""

    body: Script
    is_subshell: bool
    redirections: tuple[Redirection, ...]


class Function(NamedTuple):
    """``name() { a; }``."""

    name: str
    body: Command


Command: TypeAlias = Union[  # noqa: UP007
    Simple, Pipeline, Either, Background, If, While, For, Case, Group, Function
]
Script: TypeAlias = tuple[Command, ...]
