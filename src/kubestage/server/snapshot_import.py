"""Objects that are brought from elsewhere: all of them, or none.

They are first put on a store of their own. What is refused there is refused here, and nothing has
happened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage import stage as stages
from kubestage.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    InputError,
    Invalid,
    NotFound,
)
from kubestage.objects import field_check, manifest
from kubestage.objects.custom import decoding
from kubestage.scenario import kss_export, kss_input, operations, resource
from kubestage.scenario.operations import OperationFailed
from kubestage.scenario.resource import Event, InvalidEvent
from kubestage.server import snapshots
from kubestage.server.bootstrap.membership import is_own
from kubestage.store import seeding
from kubestage.store.restoring import ObjectKey, Past

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.store import Store


# Kinds of which there are many, and on which nothing depends that is created.
_MANY: Final = frozenset({"Pod", "Node", "Event", "Lease", "EndpointSlice", "Endpoints"})


_DEFINITION: Final = "CustomResourceDefinition"


class Import(NamedTuple):
    """What is to be put on a stage: one event for each object, and how its place is called.

    `configuration` is that of the scheduler, if the import has one.
    """

    events: list[tuple[str, Event]]
    configuration: Json | None = None


def read(body: bytes) -> Import:
    """What an import holds; InputError or BadRequest names what is wrong with it, and where."""
    if kss_input.sniff(body) == kss_input.EXPORT:
        documents = manifest.load_text(body)
        if len(documents) != 1:
            raise BadRequest("an export of kube-scheduler-simulator is one document")
        exported = documents[0].object
        for name in snapshots.LISTS:
            items = exported.get(name)
            for at, item in enumerate(items if isinstance(items, list) else ()):
                _check_shape(f"{name}[{at}]", item if isinstance(item, dict) else {})
        try:
            spec = resource.read(kss_export.scenario(exported))
        except InvalidEvent as flaw:
            raise BadRequest(str(flaw)) from None
        created = [(each.id, each) for each in spec.events if each.operation == resource.CREATE]
        return Import(created, kss_export.configuration(exported))
    documents = manifest.load_text(body)
    if not documents:
        raise BadRequest("nothing is to be imported: send a List, or several documents of YAML")
    events = [_event(each) for each in documents]
    places = {id(event.body["object"]): (place, event) for place, event in events}
    return Import(
        [places[id(obj)] for obj in snapshots.ordered(event.body["object"] for _, event in events)]
    )


def _event(document: manifest.Document) -> tuple[str, Event]:
    obj, place = document.object, _place(document)
    for field in ("apiVersion", "kind"):
        if not isinstance(obj.get(field), str) or not obj[field]:
            raise BadRequest(f"{place}: {field} is missing: each item is one Kubernetes object")
    if resource.is_scenario(obj):
        fix = "create it by itself, it begins by emptying the cluster"
        raise BadRequest(f"{place}: a Scenario is no part of a snapshot: {fix}")
    _check_shape(place, obj)
    metadata = obj["metadata"]
    is_recorded = _is_recorded(obj)
    if not is_recorded:
        for misfit in field_check.misfits(obj):
            hint = f": {misfit.fix}" if misfit.fix else ""
            raise BadRequest(f"{place}.{misfit.path}: {misfit.problem}{hint}")
    called = f"{place} ({obj['kind']} {metadata['name']})"
    body = {"object": obj, "asRecorded": is_recorded}
    return called, Event(called, 0, resource.CREATE, body)


def _check_shape(place: str, obj: Json) -> None:
    """The shape of what is read before the store looks at it."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise BadRequest(f"{place}.metadata.name: is missing: every imported object has a name")
    for field in ("spec", "status"):
        if not isinstance(obj.get(field) or {}, dict):
            raise BadRequest(f"{place}.{field}: must be an object")
    owners = metadata.get("ownerReferences") or []
    if not isinstance(owners, list) or not all(isinstance(each, dict) for each in owners):
        raise BadRequest(f"{place}.metadata.ownerReferences: must be a list of objects")
    texts = [(metadata, "namespace"), (metadata, "uid"), *((each, "uid") for each in owners)]
    for part, field in texts:
        if not isinstance(part.get(field) or "", str):
            raise BadRequest(f"{place}.metadata: {field} must be a string")


def _place(document: manifest.Document) -> str:
    return document.path or f"document {document.index + 1}"


def _is_recorded(obj: Json) -> bool:
    """Whether an object was in a cluster already, so that it is not created again."""
    if obj["metadata"].get("uid"):
        return True
    return obj["kind"] != "Pod" and bool(obj.get("status"))


def rehearsal(store: Store, *, is_empty: bool) -> Store:
    """A store on which an import can be tried: an empty one, or one with what it may depend on."""
    now_ns = store.clock.unix_ns
    if is_empty:
        past = Past(1, now_ns, 0, list(_seeded(store)))
    else:
        past = Past(store.revision, now_ns, 0, list(_context_objects(store)))
    return stages.Stage(past=past, implicit_namespaces=False).store


def _seeded(store: Store) -> Iterator[tuple[ObjectKey, Json]]:
    for collection in store.collections():
        kind = collection.kind
        for key, obj in collection.objects.items():
            if seeding.is_seeded(kind, key):
                yield ObjectKey(kind.group, kind.plural, key), obj


def _context_objects(store: Store) -> Iterator[tuple[ObjectKey, Json]]:
    for collection in store.collections():
        kind = collection.kind
        if kind.kind not in _MANY:
            for key, obj in collection.objects.items():
                yield ObjectKey(kind.group, kind.plural, key), obj


def carry_out(
    store: Store,
    events: Iterable[tuple[str, Event]],
    created: list[Json],
    tried: Store | None = None,
) -> Iterator[None]:
    """Put objects there one by one, and note those that were; a refusal names the place.

    NOTE: what was `tried` elsewhere has passed the rules of its kind, and is put there as it came
    out: half of the time of an import is spent on these rules.
    """
    for place, event in events:
        known = None if tried is None else _known(tried, event.body)
        if known is not None:
            created.append(_put(store, place, known))
            yield
            continue
        try:
            _check_types(store, event.body["object"])
            text = operations.perform(store, event)["create"]
        except (ApiError, InputError) as error:
            raise _refusal(place, error) from None
        except OperationFailed as failed:
            raise _refusal(place, failed.cause) from None
        if "result" not in text:
            raise Invalid(f"{place}: its namespace is not there: import that, too", {})
        created.append(text["result"])
        yield


def _check_types(store: Store, obj: Json) -> None:
    """Refuse what the API could not read; also of what was recorded, which is not admitted."""
    decoding.decode(obj, store.kinds.of(obj), "Ignore")


def _known(tried: Store, body: Json) -> Json | None:
    """A recorded object as it came out elsewhere, if it did."""
    obj = body["object"]
    uid = obj["metadata"].get("uid")
    kind = tried.kinds.get(obj["apiVersion"], obj["kind"])
    if not uid or kind is None:
        return None
    found = tried.read(kind).get(_key(kind, obj["metadata"]))
    return found if found is not None and found["metadata"]["uid"] == uid else None


def _put(store: Store, place: str, obj: Json) -> Json:
    kind, key = store.kinds.of(obj), _key(store.kinds.of(obj), obj["metadata"])
    if key in store.read(kind) and not _gives_way(store, kind, key):
        raise AlreadyExists(f"{place}: another client has just created it: try again", {})
    stored = store.put(kind, key, {**obj, "metadata": dict(obj["metadata"])})
    store.settle()
    return stored


def _key(kind: Kind, metadata: Json) -> str:
    name: str = metadata["name"]
    return f"{metadata.get('namespace') or 'default'}/{name}" if kind.namespaced else name


def _refusal(place: str, cause: ApiError | InputError | ValueError) -> ApiError:
    if not isinstance(cause, ApiError):
        return BadRequest(f"{place}: {cause}")
    # Something that it needs is not there; the path of the request is.
    kind = Invalid if isinstance(cause, NotFound) else type(cause)
    return kind(f"{place}: {cause.message}", cause.details)


def without_own(store: Store, snapshot: Import) -> Import:
    """The import without what a served cluster makes for itself, and therefore has."""
    if store.bootstrap is None:
        return snapshot
    kept = [each for each in snapshot.events if not is_own(each[1].body["object"])]
    return snapshot._replace(events=kept)


def _gives_way(store: Store, kind: Kind, key: str) -> bool:
    """Whether an object is one that every cluster has, or that a served one makes for itself."""
    if seeding.is_seeded(kind, key):
        return True
    return store.bootstrap is not None and is_own(store.read(kind)[key])


def taken(store: Store, events: Collection[tuple[str, Event]]) -> Iterator[str]:
    """The places of objects whose names are taken by others that are there."""
    for place, event in events:
        obj = event.body["object"]
        kind = store.kinds.get(obj["apiVersion"], obj["kind"])
        if kind is None:
            continue
        key = _key(kind, obj["metadata"])
        if key in store.read(kind) and not _gives_way(store, kind, key):
            yield place


def present(store: Store) -> list[tuple[Kind, str, Json]]:
    """All objects that an emptied cluster would not have, definitions of others first."""
    found = [
        (collection.kind, key, obj)
        for collection in store.collections()
        for key, obj in collection.objects.items()
        if not _gives_way(store, collection.kind, key)
    ]
    return sorted(found, key=lambda each: each[0].kind != _DEFINITION)


def undo(
    store: Store, created: Iterable[Json], before: Iterable[tuple[Kind, str, Json]]
) -> Iterator[None]:
    """Take away what an import has put there, and bring back what was there before it."""
    for obj in reversed(list(created)):
        kind = store.kinds.of(obj)
        key = _key(kind, obj["metadata"])
        if key in store.read(kind) and not _gives_way(store, kind, key):
            store.remove(kind, key)
        yield
    for kind, key, obj in before:
        if key not in store.read(kind):
            store.put(kind, key, {**obj, "metadata": dict(obj["metadata"])})
        yield
    store.settle()
