"""Objects by the names that people write: ``deploy/web``, ``deploy/shop/web``, ``node/node-1``."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import InputError
from kubestage.wording import few

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.store import Store

_FIX = "write KIND/NAME or KIND/NAMESPACE/NAME, as in deploy/web"


class ObjectName(NamedTuple):
    """An object that may or may not be there."""

    kind: Kind
    namespace: str | None
    """None for kinds that have none."""
    name: str

    @property
    def key(self) -> str:
        """Its key in the store."""
        return self.name if self.namespace is None else f"{self.namespace}/{self.name}"

    def __str__(self) -> str:
        where = "" if self.namespace in (None, "default") else f"{self.namespace}/"
        return f"{self.kind.singular}/{where}{self.name}"


def parse(store: Store, text: str, namespace: str | None = None) -> ObjectName:
    """The object that a text names; the namespace is ``default`` if none is named."""
    kind_name, *rest = text.split("/")
    if len(rest) not in (1, 2) or not all((kind_name, *rest)):
        raise InputError(f'"{text}" names no object', fix=_FIX)
    kind = kind_of(store, kind_name)
    if not kind.namespaced:
        if len(rest) == 2 or namespace is not None:
            raise InputError(
                f"{kind.plural} are in no namespace", path=text, fix=f"{kind_name}/NAME"
            )
        return ObjectName(kind, None, rest[0])
    if len(rest) == 2:
        if namespace not in (None, rest[0]):
            fix = f"leave out namespace={namespace}"
            raise InputError("two namespaces are named", path=text, fix=fix)
        return ObjectName(kind, rest[0], rest[1])
    return ObjectName(kind, namespace or "default", rest[0])


def kind_of(store: Store, name: str) -> Kind:
    """The kind of a name as people type it: ``deploy``, ``pods``, ``Widget``."""
    found = store.kinds.find(name)
    if len({(each.group, each.plural) for each in found}) > 1:
        names = ", ".join(f"{each.plural}.{each.group}".rstrip(".") for each in found)
        # Of kinds that are called the same, people mean the one that is not of a definition.
        own = [each for each in found if each.definition is None and not each.group]
        if len(own) != 1:
            raise InputError(f'"{name}" is several kinds', fix=f"write one of {names}")
        return own[0]
    return found[0]


def find(store: Store, name: ObjectName) -> Json | None:
    """The object of a name; None if there is none."""
    return store.read(name.kind).get(name.key)


def others(store: Store, name: ObjectName) -> str:
    """What else there is of that kind, for messages."""
    known = sorted(store.read(name.kind))
    near = difflib.get_close_matches(name.key, known, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f"there are {few(known)}" if known else f"there are no {name.kind.plural}"
