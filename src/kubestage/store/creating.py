"""Create: from what a request holds to what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import BadRequest, InputError
from kubestage.objects import defaulting, names, strategy, timestamps
from kubestage.objects.validation import rules, status
from kubestage.store import custom_resources, definitions, namespaces, refusals
from kubestage.store.admission import Request
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_ATTEMPTS: Final = 8


def create(
    core: Core, kind: Kind, obj: dict[str, Any], namespace: str | None, *, dry_run: bool
) -> dict[str, Any]:
    """Default, admit, validate and store a new object."""
    metadata = metadata_of(obj)
    if metadata.get("resourceVersion"):
        raise BadRequest("resourceVersion should not be set on objects to be created")
    given, base = metadata.get("name") or "", metadata.get("generateName") or ""
    namespace = request_namespace(kind, metadata, namespace)
    if namespace is not None:
        namespace = admit_namespace(core, kind, given, namespace)
    name = given or (names.generate_name(base, core.name_stream) if base else "")
    prepared = _prepared(core, kind, obj, name, namespace, dry_run=dry_run)
    collection = core.ledger.collection(kind)
    key = key_of(namespace, name)
    for _ in range(_ATTEMPTS - 1):
        if given or key not in collection.objects:
            break
        name = names.generate_name(base, core.name_stream)
        prepared["metadata"]["name"], key = name, key_of(namespace, name)
    taken = collection.objects.get(key)
    if taken is not None:
        if not given:
            raise status.generate_name_conflict(kind, name)
        raise refusals.already_exists(kind, taken)
    if dry_run:
        return prepared
    stored = core.put(kind, key, prepared)
    if definitions.is_definition(kind):
        definitions.establish(core, kind, stored)
    return stored


def admit_namespace(core: Core, kind: Kind, name: str, namespace: str) -> str:
    """Refuse to create in a namespace that is missing or ending; its name as the store has it.

    Returning the stored text lets all objects of a namespace share one string.
    """
    found = core.read(namespaces.NAMESPACE).get(namespace)
    if found is None:
        row = core.kind(namespaces.NAMESPACE)
        if not core.implicit_namespaces:
            raise status.not_found(row, namespace)
        found = create(core, row, namespaces.manifest(namespace), None, dry_run=False)
    if "deletionTimestamp" in found["metadata"]:
        raise refusals.namespace_ending(kind, name, namespace)
    shared: str = found["metadata"]["name"]
    return shared


def metadata_of(obj: dict[str, Any]) -> dict[str, Any]:
    """The metadata that a request holds, if it is any."""
    metadata = obj.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise BadRequest("metadata: expected an object")
    return metadata


def request_namespace(kind: Kind, metadata: dict[str, Any], namespace: str | None) -> str | None:
    """The namespace that a request means: its own, else the object's, else ``default``."""
    if not kind.namespaced:
        return None
    own = metadata.get("namespace")
    if namespace and own and own != namespace:
        raise status.namespace_mismatch()
    return namespace or own or "default"


def place(metadata: dict[str, Any], namespace: str | None) -> None:
    """Write the namespace into metadata of the caller's own."""
    if namespace is not None:
        metadata["namespace"] = namespace
    else:
        metadata.pop("namespace", None)


def _prepared(
    core: Core,
    kind: Kind,
    obj: dict[str, Any],
    name: str,
    namespace: str | None,
    *,
    dry_run: bool,
) -> dict[str, Any]:
    """The object as it will be stored, but for the resourceVersion; its metadata is its own."""
    now = timestamps.format_time(core.clock.unix_ns)
    key = core.templates.key(kind, obj) if core.uses_templates else None
    if key is not None and core.limit_ranges.objects and namespace is not None:
        key += namespace.encode()
    if core.webhooks and key is not None and namespace is not None:
        key += b"".join(webhook.mark(kind, obj, namespace) for webhook in core.webhooks)
    template = core.templates.get(key, now) if key is not None else None
    if template is None:
        prepared = _from_scratch(core, kind, obj, name, namespace, now)
        _check(core, Request(kind, prepared, dry_run=dry_run))
        return prepared if key is None else core.templates.add(key, obj, prepared, now)
    base = obj["metadata"].get("generateName")
    metadata = (template.generated if base else template.named).copy()
    metadata["name"] = name
    if base:
        metadata["generateName"] = base
    metadata["namespace"] = namespace
    metadata["uid"] = names.uid(core.uid_stream)
    metadata["creationTimestamp"] = now
    prepared = template.pod.copy()
    prepared["metadata"] = metadata
    if core.resource_quotas.objects:
        # What the other checks say about a template, they say about all that is made from it.
        _check(core, Request(kind, prepared, dry_run=dry_run))
    return prepared


def _check(core: Core, asked: Request) -> None:
    for check in core.checks:
        check(core, asked)


def _from_scratch(
    core: Core,
    kind: Kind,
    obj: dict[str, Any],
    name: str,
    namespace: str | None,
    now: str,
) -> dict[str, Any]:
    shaped = strategy.wipe_system_fields(defaulted(kind, obj, now))
    metadata: dict[str, Any] = shaped["metadata"]
    place(metadata, namespace)
    metadata["uid"] = names.uid(core.uid_stream)
    metadata["creationTimestamp"] = now
    for step in core.admission:
        shaped = step(core, kind, shaped, None)
    if namespace is not None:
        for webhook in core.webhooks:
            shaped = webhook.admit(kind, shaped, namespace)
    if name:
        # Steps are asked before a name is made up, and refuse under the name that was given.
        shaped = {**shaped, "metadata": {**shaped["metadata"], "name": name}}
    prepared = custom_resources.prepare_for_create(kind, shaped, now)
    problems = rules.validate_create(prepared)
    if problems:
        raise status.invalid(prepared, problems)
    prepared = strategy.stored(prepared)
    return {**prepared, "metadata": dict(prepared["metadata"])}


def defaulted(kind: Kind, obj: dict[str, Any], now: str) -> dict[str, Any]:
    """A fresh object in the shape of its kind, with the API's defaults."""
    try:
        shaped = defaulting.stored(
            {**obj, "apiVersion": kind.api_version, "kind": kind.kind}, now=now
        )
    except InputError as error:
        version = kind.version
        raise BadRequest(
            f'{kind.kind} in version "{version}" cannot be handled as a {kind.kind}: {error}'
        ) from None
    metadata = shaped.get("metadata")
    if not isinstance(metadata, dict):
        shaped["metadata"] = {}
    elif len(metadata.get("ownerReferences") or ()) > 1:
        metadata["ownerReferences"] = _each_once(metadata["ownerReferences"])
    return shaped


def _each_once(references: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Owner references without repetitions, as the API server keeps them."""
    kept: list[dict[str, Any]] = []
    for reference in references:
        if reference not in kept:
            kept.append(reference)
    return kept
