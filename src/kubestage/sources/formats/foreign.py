"""Files that are recognised and cannot be imported; the error names what to do instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.sources.entries import Entry

_KUBECONFIG: Final = re.compile(rb"^kind:[ \t]*[\"']?Config[\"']?[ \t]*$", re.MULTILINE)
_CONTEXT: Final = re.compile(rb"^current-context:", re.MULTILINE)
_AGE: Final = b"age-encryption.org/v1\n"
_BOLT: Final = b"\xed\xda\x0c\xed"
_SQLITE: Final = b"SQLite format 3\x00"


def refuse(entry: Entry) -> None:
    """Raise an error if a file is one of these."""
    head = entry.head()
    if _KUBECONFIG.search(head) and _CONTEXT.search(head):
        fix = f"import the cluster that it leads to: --kubeconfig {entry.name}"
        raise InputError("is a kubeconfig", file=entry.name, fix=fix)
    if head.startswith(_AGE):
        fix = "decrypt it first: kshrk decrypt, or age --decrypt"
        raise InputError("is encrypted by age", file=entry.name, fix=fix)
    if head[16:20] == _BOLT:
        fix = "save one with `kwokctl snapshot save --format k8s`, or with `kubectl get -o yaml`"
        raise InputError("is a snapshot of etcd, not of objects", file=entry.name, fix=fix)
    if head.startswith(_SQLITE):
        fix = "export the objects with `kubectl get -o yaml`"
        raise InputError("is an SQLite database", file=entry.name, fix=fix)
