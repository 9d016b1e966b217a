"""``kubectl cluster-info dump``: a folder, or all in one stream with the logs in between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.sources.formats import kubectl_dump, texts
from kubestage.sources.imported import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake
    from kubestage.sources.tree import Tree

NAME: Final = "kubectl cluster-info dump"
_LOGS: Final = b"==== START logs for container "
_NODES: Final = re.compile(r"(^|/)nodes\.(json|yaml)$")
_OBJECTS: Final = re.compile(
    r"(^|/)(nodes|[a-z0-9-]+/(replication-controllers|services|daemonsets|deployments|replicasets"
    r"|pods))\.(json|yaml)$"
)
_EVENTS: Final = re.compile(r"(^|/)[a-z0-9-]+/events\.(json|yaml)$")
LACKS: Final = (
    "a cluster-info dump has no StatefulSets, Jobs, CronJobs, budgets, autoscalers, volumes, "
    "claims, quotas and classes; without --all-namespaces only default and kube-system are in it"
)


def is_one(paths: Sequence[str]) -> bool:
    """Whether a folder is such a dump: nodes, and pods beside events of a namespace."""
    has_nodes = any(_NODES.search(path) for path in paths)
    return has_nodes and any(_EVENTS.search(path) for path in paths)


def read(tree: Tree, intake: Intake) -> Origin:
    """Take the objects; logs are not opened."""
    for entry in tree.entries():
        if _OBJECTS.search(entry.path):
            for obj in texts.documents(entry.read(), entry.name):
                intake.add(obj)
    intake.note(LACKS)
    return Origin(source=tree.name, format=NAME)


def is_stream(entry: Entry) -> bool:
    """Whether a file is what the command prints without ``--output-directory``."""
    head = entry.head().lstrip()
    is_json = head[:1] == b"{" and kubectl_dump.is_one(entry)
    return is_json and b"\n" + _LOGS in entry.read()


def read_stream(entry: Entry, intake: Intake) -> Origin:
    """Take the JSON documents of a stream; the texts of logs between them are skipped."""
    for document in _documents(entry.read()):
        for obj in texts.documents(document, entry.name):
            intake.add(obj)
    intake.note(LACKS)
    return Origin(source=entry.path, format=NAME)


def _documents(data: bytes) -> Iterator[bytes]:
    """Each document: from a brace that begins a line to one that is alone in its line."""
    lines: list[bytes] = []
    is_log = False
    for line in data.splitlines(keepends=True):
        if line.startswith(b"==== "):
            is_log = line.startswith(_LOGS)
        elif not is_log:
            lines.append(line)
            if line.rstrip() == b"}":
                yield b"".join(lines)
                lines = []
    if any(line.strip() for line in lines):
        yield b"".join(lines)
