"""A program in a container of its own, without a cluster."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from kubestage.programs import tree
from kubestage.programs.context import ContainerContext
from kubestage.programs.files import Files
from kubestage.programs.process import Process
from kubestage.programs.tree import User
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.programs.records import Record

POD = {"metadata": {"name": "p", "namespace": "default", "uid": "u"}, "spec": {}}


def nobody(host: str, port: int, request: object) -> None:
    """No other pod answers."""
    del host, port, request


def no_name(name: str, record_type: str) -> list[Record]:
    """No name is known."""
    del name, record_type
    return []


def started(*words: str, uid: int = 0, **variables: str) -> Process:
    """A program that has just started."""
    root = tree.directory()
    root.entries["tmp"] = tree.directory(0o1777)
    root.entries["usr"] = tree.directory(is_image=True)
    files = Files(root, User(uid))
    context = ContainerContext(POD, {}, files, variables, random.Random(1), nobody, no_name)
    process = Process(list(words), context, 0)
    process.run(0)
    return process


def shell(script: str, seconds: int = 0, **variables: str) -> Process:
    """A script, some seconds after its start."""
    process = started("sh", "-c", script, uid=0, **variables)
    process.advance(seconds * SECOND_NS)
    return process


def printed(process: Process) -> str:
    """All that a program printed."""
    return b"".join(each.data for each in process.log).decode()
