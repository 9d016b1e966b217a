"""Create: from what a request holds to what is stored."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import BadRequest, InputError
from kubestage.objects import conversion, names, strategy, warnings
from kubestage.objects.validation import capabilities, status
from kubestage.store import (
    admission,
    custom_resources,
    definitions,
    field_managers,
    namespaces,
    refusals,
)
from kubestage.store.admission import caller as callers
from kubestage.store.admission import (
    dynamic,
    node_restriction,
    pod_security,
    pod_topology_labels,
    service_account,
)
from kubestage.store.admission.admission_request import AdmissionRequest
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence

    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

    Complete = Callable[[dict[str, Any]], dict[str, Any]]

_ATTEMPTS: Final = 8


def create(
    core: Core,
    kind: Kind,
    obj: dict[str, Any],
    namespace: str | None,
    *,
    dry_run: bool,
    manager: str = "",
    advice: MutableSequence[str] | None = None,
    complete: Complete | None = None,
    is_plan: bool = False,
) -> dict[str, Any]:
    """Default, admit, validate and store a new object; its fields are the manager's, if named.

    What the API warns of is added to `advice`, also where the object is refused afterwards.
    `complete` adds what was prepared apart, just before the object is stored. A plan is worked out
    beside what else happens, and leaves nothing behind that others would find.
    """
    obj = custom_resources.opened_new(core, kind, obj)
    metadata = metadata_of(obj)
    requested_name, base = metadata.get("name") or "", metadata.get("generateName") or ""
    namespace = request_namespace(kind, metadata, namespace)
    if namespace is not None:
        namespace = admit_namespace(core, kind, requested_name, namespace)
    name = requested_name
    if base and not name:
        name = callers.drawn("name", lambda: names.generate_name(base, core.names_for(kind)))
    if not name and kind.behavior.generates_name:
        name = names.uid(core.uid_stream)
    created = prepared(
        core, kind, obj, name, namespace, manager, advice, dry_run=dry_run, is_plan=is_plan
    )
    if metadata.get("resourceVersion"):
        raise BadRequest("resourceVersion should not be set on objects to be created")
    collection = core.ledger.collection(kind)
    key = key_of(namespace, name)
    for _ in range(_ATTEMPTS - 1):
        if requested_name or key not in collection.objects:
            break
        name = names.generate_name(base, core.names_for(kind))
        created["metadata"]["name"], key = name, key_of(namespace, name)
    taken = collection.objects.get(key)
    if taken is not None:
        if not requested_name:
            raise status.generate_name_conflict(kind, name)
        raise refusals.already_exists(kind, taken)
    core.object_limit.check()
    if complete is not None:
        created = complete(created)
    # NOTE: measurements keep the keys of all pods, too (`measure.informer`): interned, as theirs
    # are, there is one of each.
    return created if dry_run else put(core, kind, sys.intern(key), obj, created)


def put(
    core: Core, kind: Kind, key: str, obj: dict[str, Any], created: dict[str, Any]
) -> dict[str, Any]:
    """Store a new object that is ready, and was made from `obj`."""
    stored = core.put(kind, key, custom_resources.at_rest(core, kind, created, None))
    is_completed = kind.behavior.completed_when_read
    if is_completed is not None and "managedFields" in stored["metadata"] and is_completed(obj):
        core.unread[stored["metadata"]["uid"]] = stored["metadata"]["resourceVersion"]
    if definitions.is_definition(kind):
        definitions.establish(core, kind, stored)
    return stored


def admit_namespace(core: Core, kind: Kind, name: str, namespace: str) -> str:
    """Refuse to create in a namespace that is missing or ending; its name as the store has it.

    Returning the stored text lets all objects of a namespace share one string.
    """
    found = core.namespaces.objects.get(namespace)
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
    in_body = metadata.get("namespace")
    if namespace and in_body and in_body != namespace:
        raise status.namespace_mismatch()
    return namespace or in_body or "default"


def place(metadata: dict[str, Any], namespace: str | None) -> None:
    """Write the namespace into metadata of the caller's own."""
    if namespace is not None:
        metadata["namespace"] = namespace
    else:
        metadata.pop("namespace", None)


def prepared(
    core: Core,
    kind: Kind,
    obj: dict[str, Any],
    name: str,
    namespace: str | None,
    manager: str,
    advice: MutableSequence[str] | None,
    *,
    dry_run: bool,
    is_plan: bool = False,
) -> dict[str, Any]:
    """The object as it will be stored, but for the resourceVersion; its metadata is its own."""
    now = callers.time_of_write(core)
    uses_templates = core.uses_templates and not is_plan and not dynamic.applies(core, kind)
    key = core.templates.key(kind, obj, manager) if uses_templates else None
    if key is not None and core.limit_ranges.objects and namespace is not None:
        key += namespace.encode()
    if key is not None:
        key += pod_topology_labels.mark(core, obj) + service_account.mark(core, obj, namespace)
    if core.webhooks and key is not None and namespace is not None:
        key += b"".join(webhook.mark(kind, obj, namespace) for webhook in core.webhooks)
    template = core.templates.get(key, now) if key is not None else None
    if template is None:
        created = _from_scratch(
            core, kind, obj, name, namespace, manager, now, advice, dry_run=dry_run
        )
        if advice is not None:
            advice.extend(warnings.on_create(created, obj))
        check(core, AdmissionRequest(kind, created, dry_run=dry_run, warnings=advice))
        return created if key is None else core.templates.add(key, obj, created, now)
    base = obj["metadata"].get("generateName")
    metadata = (template.generated if base else template.named).copy()
    metadata["name"] = name
    if base:
        metadata["generateName"] = base
    metadata["namespace"] = namespace
    metadata["uid"] = names.uid(core.uid_stream)
    metadata["creationTimestamp"] = now
    if manager:
        metadata["managedFields"] = template.entries_at(now)
    created = template.pod.copy()
    created["metadata"] = metadata
    if advice is not None:
        advice.extend(warnings.on_create(created, obj))
    if (
        core.resource_quotas.objects
        or pod_security.applies(core, namespace)
        or node_restriction.applies()
    ):
        # What the other checks say about a template, they say about all that is made from it.
        check(core, AdmissionRequest(kind, created, dry_run=dry_run, warnings=advice))
    return created


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse what may not be stored, however well it is formed."""
    for check in core.checks:
        check(core, request)


def _from_scratch(
    core: Core,
    kind: Kind,
    obj: dict[str, Any],
    name: str,
    namespace: str | None,
    manager: str,
    now: str,
    advice: MutableSequence[str] | None,
    *,
    dry_run: bool,
) -> dict[str, Any]:
    shaped = strategy.wipe_system_fields(defaulted(kind, obj, now))
    if manager:
        sent = field_managers.sent(obj)
        shaped = field_managers.created(core, kind, shaped, sent, manager, now)
    shaped = conversion.to_stored(kind, shaped)
    metadata: dict[str, Any] = shaped["metadata"]
    place(metadata, namespace)
    metadata["uid"] = callers.drawn("uid", lambda: names.uid(core.uids_for(kind)))
    metadata["creationTimestamp"] = now
    shaped = admitted(core, kind, shaped, None, dry_run=dry_run, advice=advice)
    if namespace is not None:
        for webhook in core.webhooks:
            shaped = webhook.admit(kind, shaped, namespace)
    if name:
        # Steps run before a name is generated, and refuse under the name of the request.
        shaped = {**shaped, "metadata": {**shaped["metadata"], "name": name}}
    created = custom_resources.prepare_for_create(kind, shaped, now)
    with capabilities.privileged_pods(allowed=core.allow_privileged):
        problems = custom_resources.validate_create(kind, created)
    if problems:
        raise status.invalid(created, problems)
    created = core.shared_parts.within(strategy.stored(created))
    return {**created, "metadata": dict(created["metadata"])}


def admitted(
    core: Core,
    kind: Kind,
    obj: dict[str, Any],
    old: dict[str, Any] | None,
    subresource: str = "",
    through: str = "",
    *,
    dry_run: bool,
    advice: MutableSequence[str] | None,
) -> dict[str, Any]:
    """An object as the plugins that may change it leave it; subresources pass the dynamic ones."""
    steps = () if subresource else core.admission
    for step in steps:
        if step not in admission.LAST:
            obj = step(core, kind, obj, old)
    obj = dynamic.mutated(
        core, kind, obj, old, subresource or through, dry_run=dry_run, warnings=advice
    )
    for step in steps:
        if step in admission.LAST:
            obj = step(core, kind, obj, old)
    return obj


def defaulted(kind: Kind, obj: dict[str, Any], now: str) -> dict[str, Any]:
    """A fresh object in the shape of its kind, with the API's defaults."""
    typed = {**obj, "apiVersion": kind.api_version, "kind": kind.kind}
    try:
        shaped = custom_resources.defaulted(kind, typed, now)
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
    unique = {msgspec.json.encode(each, order="sorted"): each for each in references}
    return list(unique.values())
