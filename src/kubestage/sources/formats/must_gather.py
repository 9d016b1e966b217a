"""OpenShift must-gather, as ``oc adm inspect`` writes it: ``namespaces/NS/GROUP/RESOURCE.yaml``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sources.intake import Intake
    from kubestage.sources.tree import Tree

NAME: Final = "OpenShift must-gather"
_CLUSTER: Final = re.compile(r"(^|/)cluster-scoped-resources/[a-z0-9.-]+/.+\.ya?ml$")
_NAMESPACED: Final = re.compile(r"(^|/)namespaces/([a-z0-9-]+)/[a-z0-9.-]+/.+\.ya?ml$")
_NAMESPACE: Final = re.compile(r"(^|/)namespaces/([a-z0-9-]+)/\2\.ya?ml$")
_NODES: Final = re.compile(r"(^|/)cluster-scoped-resources/core/nodes(/|\.ya?ml$)")
_TIMESTAMP: Final = re.compile(r"(^|/)timestamp$")
_END: Final = re.compile(rb"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,9})? ([+-]\d\d)(\d\d)")
_AUDIT: Final = re.compile(r"(^|/)audit_logs/")
_VERSION: Final = re.compile(rb"kubeletVersion: [\"']?(v[0-9][^\s\"']*)")
LACKS: Final = (
    "a must-gather has the namespaces of OpenShift, not those of users, unless they were requested "
    "(oc adm inspect ns/NAME): pods elsewhere, and what they use of nodes, are missing"
)
AUDIT: Final = (
    "the audit logs in it are not read: name the folder audit_logs as a source of its own"
)


def is_one(paths: Sequence[str]) -> bool:
    """Whether an archive or folder is a must-gather."""
    return any(_CLUSTER.search(path) for path in paths)


def read(tree: Tree, intake: Intake) -> Origin:
    """Take the objects; a pod has a folder of its own and is in a list as well."""
    captured, version = None, ""
    for entry in tree.entries():
        path = entry.path
        if _AUDIT.search(path):
            intake.note(AUDIT)
        elif _TIMESTAMP.search(path):
            captured = _newest(entry.read(), captured)
        elif _CLUSTER.search(path) or _NAMESPACED.search(path) or _NAMESPACE.search(path):
            data = entry.read()
            for obj in texts.documents(data, entry.name):
                intake.add(obj)
            if not version and _NODES.search(path) and (found := _VERSION.search(data)):
                version = found[1].decode()
    intake.note(LACKS)
    return Origin(source=tree.name, format=NAME, captured_ns=captured, kubernetes_version=version)


def _newest(data: bytes, earlier: int | None) -> int | None:
    """The last moment that the file ``timestamp`` states, in Go's way to print a time."""
    times = [earlier] if earlier is not None else []
    for found in _END.finditer(data):
        date, clock, fraction, hours, minutes = (each.decode() for each in found.groups(b""))
        time = texts.time_or_none(f"{date}T{clock}{fraction}{hours}:{minutes}")
        times += [time] if time is not None else []
    return max(times, default=None)
