"""What ``kubectl get -o yaml|json`` prints: objects, Lists, several documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin

if TYPE_CHECKING:
    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake

NAME: Final = "kubectl dump"
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_YAML: Final = re.compile(rb"^(- )?[\"']?(apiVersion|kind|items)[\"']?[ \t]*:", re.MULTILINE)
_JSON: Final = re.compile(rb'\s*[\[{][^"]*"(apiVersion|kind|items|metadata|spec)"')


def is_one(entry: Entry) -> bool:
    """Whether a file has objects in it."""
    head = entry.head()
    if head.lstrip()[:1] in (b"{", b"["):
        return _JSON.match(head) is not None or entry.path.endswith(_SUFFIXES)
    return _YAML.search(head) is not None


def read(entry: Entry, intake: Intake) -> Origin:
    """Take all objects of a file."""
    for obj in texts.documents(entry.read(), entry.name):
        intake.add(obj)
    return Origin(source=entry.path, format=NAME)
