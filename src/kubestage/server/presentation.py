"""Objects in the form that a client requested."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

import msgspec
import yaml

from kubestage import lazy
from kubestage.errors import BadRequest, NotAcceptable
from kubestage.objects import conversion, known_versions
from kubestage.objects.tables import printers
from kubestage.server import json_text, slices
from kubestage.server.encoding import bare
from kubestage.server.negotiation import JSON as JSON_TYPE
from kubestage.server.negotiation import PROTOBUF
from kubestage.server.negotiation import YAML as YAML_TYPE
from kubestage.server.response import JSON, YAML, InSlices, Joined, Later, Response
from kubestage.store import policies

# NOTE: the field numbers are read when the first client uses protobuf.
with lazy.imports():
    from kubestage.server.protobuf import responses

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.tables import Row
    from kubestage.server.encoding import Encoder
    from kubestage.server.negotiation import ResponseForm
    from kubestage.server.response import Awaited, Headers
    from kubestage.store.listing import ObjectList

_PARTIAL: Final = "PartialObjectMetadata"
_GENERATION: Final = "deprecated.daemonset.template.generation"
_INCLUDES: Final = ("", "Metadata", "Object", "None")
# More objects than that are shown in slices, or in a thread.
_MANY: Final = 1000
_FEW: Final = 100
_AT_ONCE: Final = 250
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_SafeDumper):  # type: ignore[misc] # which class it is depends on the machine
    """Writes parts that objects share in full, as clients know them."""

    def ignore_aliases(self, _data: Any) -> bool:
        """An anchor would be the same YAML, but nothing that a person can edit."""
        return True


class ResponseView:
    """How a response shows its objects: the requested kind, the form, and the time."""

    __slots__ = ("encoder", "form", "include", "kind", "now_ns")

    def __init__(
        self, kind: Kind, form: ResponseForm, encoder: Encoder, now_ns: int, include: str = ""
    ) -> None:
        if form.kind == "Table" and include not in _INCLUDES:
            raise BadRequest(
                "Unable to convert to Table as requested: includeObject: Invalid value: "
                f"{msgspec.json.encode(include).decode()}: must be 'Metadata', 'Object', 'None', "
                "or empty"
            )
        if form.media_type == PROTOBUF and not form.kind:
            responses.check_message(kind.api_version, kind.kind)
        self.kind = kind
        self.form = form
        self.encoder = encoder
        self.now_ns = now_ns
        self.include = include

    @property
    def is_plain(self) -> bool:
        """Whether stored bytes can be sent as they are."""
        return not self.form.kind and self.form.media_type == JSON_TYPE

    @property
    def is_custom(self) -> bool:
        """Whether the kind is served as custom resources are: each item of a list has its type."""
        return self.kind.definition is not None or policies.is_custom(self.kind)

    def respond(
        self, obj: Json, status: int = 200, headers: Headers | None = None
    ) -> Response | Later | Awaited:
        """One object."""
        if self.is_plain and self.kind.stored_as is None and obj.get("kind") == self.kind.kind:
            body = self.encoder.typed(self.kind, bare(obj))
            return Response(status, body, JSON, headers or ())
        shown = self.object(obj)
        if self.form.media_type == YAML_TYPE:
            return Later(lambda: self.encoded(shown, status, headers))
        return self.encoded(shown, status, headers)

    def in_pieces(self, obj: Json, status: int, headers: Headers) -> Response:
        """One large object; to be called in a thread."""
        if self.form.media_type != JSON_TYPE or self.form.kind:
            return self.encoded(self.object(obj), status, headers)
        kind = {"kind": self.kind.kind, "apiVersion": self.kind.api_version}
        return Response(status, json_text.encode({**kind, **untyped(obj)}), JSON, headers)

    def object(self, obj: Json) -> Json:
        """One object in the requested form."""
        served = self.served(obj)
        if not self.form.kind:
            return served
        if self.form.kind == "Table":
            return self.table([served], {"resourceVersion": _version(served)})
        if self.form.kind == _PARTIAL:
            return self.partial(served)
        go_type = f"*{known_versions.go_package(self.kind.api_version)}.{self.kind.kind}"
        raise NotAcceptable(
            f"you requested {self.form.kind}, but the requested object is not a list ({go_type})"
        )

    def served(self, obj: Json) -> Json:
        """A stored object in the requested version; its Scale is the same in all."""
        if self.kind.stored_as is None or obj.get("kind") != self.kind.kind:
            return obj
        return conversion.to_served(self.kind, obj)

    def listed(
        self, found: ObjectList, headers: Headers | None = None
    ) -> Response | Joined | Later | InSlices | Awaited:
        """A list of stored objects."""
        steps = self.listing(found, headers)
        if len(found.items) > _MANY:
            return InSlices(steps)
        return slices.at_once(steps)

    def listing(
        self, found: ObjectList, headers: Headers | None = None
    ) -> Generator[None, None, Response | Joined | Later | Awaited]:
        """The same, a few objects at a time."""
        metadata: Json = {"resourceVersion": found.resource_version}
        if found.continue_token or (self.is_custom and not self.form.kind):
            metadata["continue"] = found.continue_token
        if found.remaining:
            metadata["remainingItemCount"] = found.remaining
        if self.is_plain and self.kind.stored_as is None:
            return (yield from self._joined(found, metadata, headers))
        if len(found.items) > _FEW:
            return Later(lambda: self._long_list(found.items, metadata, headers))
        return self.encoded(self._list_object(found.items, metadata), 200, headers)

    def _long_list(
        self, items: list[Json], metadata: Json, headers: Headers | None
    ) -> Response | Joined:
        """A list that is encoded object by object, so that no step of it takes long."""
        if self.form.media_type == PROTOBUF:
            return self.encoded(self._list_object(items, metadata), 200, headers)
        whole = self._list_object(items[:1], metadata)
        name = "rows" if "rows" in whole else "items"
        rest = (self._list_object([obj], metadata)[name][0] for obj in items[1:])
        shown = itertools.chain(whole.pop(name), rest)
        if self.form.media_type == YAML_TYPE:
            return Response(200, b"".join(_yaml_list(whole, name, shown)), YAML, headers or ())
        start = msgspec.json.encode(whole)[:-1] + b',"' + name.encode() + b'":['
        return Joined(start, [msgspec.json.encode(each) for each in shown], headers or ())

    def _joined(
        self, found: ObjectList, metadata: Json, headers: Headers | None
    ) -> Generator[None, None, Joined]:
        kind, items = self.kind, found.items
        bodies: list[bytes] = []
        with self.encoder.in_pieces():
            for at in range(0, len(items), _AT_ONCE):
                piece = self.encoder.all_bare(items[at : at + _AT_ONCE], keeps=found.is_current)
                if self.is_custom:
                    piece = [self.encoder.typed(kind, body) for body in piece]
                bodies += piece
                yield
        start = msgspec.json.encode(
            {"kind": kind.list_kind, "apiVersion": kind.api_version, "metadata": metadata}
        )
        return Joined(start[:-1] + b',"items":[', bodies, headers or ())

    def _list_object(self, items: Iterable[Json], metadata: Json) -> Json:
        served = [self.served(obj) for obj in items]
        if self.form.kind == "Table":
            return self.table(served, metadata)
        if self.form.kind == f"{_PARTIAL}List":
            return {
                "kind": f"{_PARTIAL}List",
                "apiVersion": f"meta.k8s.io/{self.form.version}",
                "metadata": metadata,
                # Where nothing is found the API has null here, and an empty list elsewhere.
                "items": [self.partial(obj) for obj in served] or None,
            }
        if self.form.kind:
            package = known_versions.go_package(self.kind.api_version)
            go_type = f"*{package}.{self.kind.list_kind}"
            raise NotAcceptable(
                f"you requested {self.form.kind}, but the requested object is a list ({go_type})"
            )
        if not self.is_custom:
            served = [untyped(obj) for obj in served]
        return {
            "kind": self.kind.list_kind,
            "apiVersion": self.kind.api_version,
            "metadata": metadata,
            "items": served,
        }

    def table(self, objects: list[Json], metadata: Json, *, with_columns: bool = True) -> Json:
        """Objects as a Table, as kubectl prints it."""
        kind = self.kind
        api_version, name = kind.api_version, kind.kind
        if objects and objects[0].get("kind") == "Scale":
            api_version, name = objects[0]["apiVersion"], "Scale"
        printer = printers.served(api_version, name, kind.definition)
        columns = msgspec.to_builtins(printer.columns) if with_columns else None
        return {
            "kind": "Table",
            "apiVersion": f"meta.k8s.io/{self.form.version or 'v1'}",
            "metadata": metadata,
            "columnDefinitions": columns,
            "rows": [self._row(printer.row(obj, self.now_ns)) for obj in objects],
        }

    def _row(self, row: Row) -> Json:
        shown: Json = {"cells": row.cells}
        if row.conditions:
            shown["conditions"] = row.conditions
        if self.include == "None":
            shown["object"] = None
        elif self.include == "Object":
            obj = {**row.object, "kind": self.kind.kind, "apiVersion": self.kind.api_version}
            shown["object"] = obj
        else:
            shown["object"] = self.partial(row.object)
        return shown

    def partial(self, obj: Json) -> Json:
        """Only the metadata of an object."""
        metadata = obj["metadata"]
        if _GENERATION in (metadata.get("annotations") or ()):
            # The API adds it to a DaemonSet when that is shown as a whole.
            parts = {
                key: each for key, each in metadata["annotations"].items() if key != _GENERATION
            }
            metadata = {**metadata, "annotations": parts}
            if not parts:
                del metadata["annotations"]
        return {
            "kind": _PARTIAL,
            "apiVersion": f"meta.k8s.io/{self.form.version or 'v1'}",
            "metadata": metadata,
        }

    def encoded(self, obj: Json, status: int = 200, headers: Headers | None = None) -> Response:
        """Any object in the media type of the response."""
        if self.form.media_type == PROTOBUF:
            return Response(status, responses.body(obj), responses.CONTENT_TYPE, headers or ())
        if self.form.media_type == YAML_TYPE:
            return Response(status, as_yaml(obj), YAML, headers or ())
        return Response(status, msgspec.json.encode(obj), JSON, headers or ())


def _yaml_list(whole: Json, name: str, shown: Iterable[Json]) -> Iterator[bytes]:
    """An object with a list as YAML, as if it were encoded at once."""
    yield as_yaml({key: part for key, part in whole.items() if key < name})
    yield f"{name}:\n".encode()
    for each in shown:
        yield as_yaml([each])
    after = {key: part for key, part in whole.items() if key > name}
    if after:
        yield as_yaml(after)


def as_yaml(obj: Any) -> bytes:
    """An object as YAML."""
    text: str = yaml.dump(obj, Dumper=_Dumper, sort_keys=True, allow_unicode=True)
    return text.encode()


def untyped(obj: Json) -> Json:
    """An object as it stands in a list of its kind."""
    return {name: part for name, part in obj.items() if name not in ("kind", "apiVersion")}


def _version(obj: Json) -> str:
    version: str = obj["metadata"].get("resourceVersion", "")
    return version
