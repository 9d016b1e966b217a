"""A cluster that differs from its files: pods off their nodes, objects left out, added, scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.ownership import controller_of
from kubestage.errors import InputError, MalformedValue
from kubestage.objects import labels as label_selectors
from kubestage.objects import timestamps
from kubestage.runs.inputs import node_words, object_words, stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.scenario import recorded_times, resource
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.runs.what_if_options import WhatIfOptions

_PENDING: Final = "pending"
_MIRROR: Final = "kubernetes.io/config.mirror"
_ENDED: Final = ("Succeeded", "Failed")
_SCALABLE: Final = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")


def apply(
    loaded: LoadedManifests,
    options: WhatIfOptions,
    config_file: str | None,
    observer: Observer = SILENT,
    *,
    is_living: bool = False,
) -> None:
    """Change what was read as the options say; notes say what has changed.

    In a living cluster pods are there from the start, so that their order is that of the queue.
    """
    if is_living and options.reschedule_order != "priority":
        fix = "leave it out: with --for, the queue sorts by priority"
        raise InputError("has no effect with --for", path="--reschedule-order", fix=fix)
    if options.changes_cluster:
        _refuse_scenarios(loaded)
    for name in options.add:
        _add(loaded, stage_inputs.load([name], config_file, observer))
    for word in options.without:
        leave_out(loaded, word)
    for text in options.scale:
        _scale(loaded, text)
    if options.reschedule is not None:
        _reschedule(loaded, options.reschedule, options.reschedule_order)
    elif options.reschedule_order != "priority":
        fix = "add --reschedule all, or leave it out"
        raise InputError("needs --reschedule", path="--reschedule-order", fix=fix)
    if options.start is not None:
        loaded.start = _start(loaded, options.start)


def _refuse_scenarios(loaded: LoadedManifests) -> None:
    fix = "leave out --reschedule, --without and --scale, or run the objects without the Scenario"
    for document in loaded.documents:
        if resource.is_scenario(document.object):
            raise loaded.place(document, InputError("a Scenario says what happens", fix=fix))
    if loaded.imported:
        raise InputError("a recording of a Scenario says what happens", fix=fix)


def _add(loaded: LoadedManifests, added: LoadedManifests) -> None:
    loaded.documents += added.documents
    loaded.locators |= added.locators
    loaded.imported += added.imported
    # Other runs may use the same table.
    loaded.table = loaded.table.copy()
    for document in added.documents:
        if document.object.get("kind") == "CustomResourceDefinition":
            loaded.table.register(document.object)


def _start(loaded: LoadedManifests, text: str) -> str:
    try:
        start_ns = timestamps.parse_time(text)
    except ValueError:
        fix = "write it as in 2026-01-01T00:00:00Z"
        raise InputError(f'"{text}" is no time', path="--start", fix=fix) from None
    newest_ns = recorded_times.newest_ns(document.object for document in loaded.documents)
    if newest_ns and start_ns < newest_ns:
        newest = timestamps.format_time(newest_ns)
        fix = f"begin with {newest} or later"
        raise InputError(f"is before the newest moment of the objects, {newest}", path="--start",
                         fix=fix)  # fmt: skip
    return timestamps.format_time(start_ns)


def leave_out(loaded: LoadedManifests, word: str) -> None:
    """Remove nodes, whose pods become pending, or an object with all that it owns."""
    kind, slash, _ = word.partition("/")
    if slash and "=" not in word and kind not in node_words.SORTS:
        _remove_object(loaded, word)
        return
    known = {each.object["metadata"]["name"]: each.object for each in _of_kind(loaded, "Node")}
    try:
        names = set(node_words.of_word(known, word))
    except InputError as error:
        raise InputError(error.problem, path="--without", fix=error.fix) from None
    kept, freed = [], 0
    for document in loaded.documents:
        obj = document.object
        if obj.get("kind") == "Node" and obj["metadata"]["name"] in names:
            continue
        if obj.get("kind") == "Pod" and _node_of(obj) in names:
            if _is_bound_to_node(obj) or _has_ended(obj):
                continue
            freed += 1
            document = _changed(document, _freed(obj))  # noqa: PLW2901
        kept.append(document)
    loaded.documents = kept
    loaded.notes.append(
        f"without {plural(len(names), 'node')} ({word}): {plural(freed, 'pod')} lost their node"
    )


def _remove_object(loaded: LoadedManifests, word: str) -> None:
    first = object_words.find(loaded, word, "--without")
    kept = [each for each in loaded.documents if each is not first]
    uids = {_uid(first.object)} - {""}
    count = 0
    while uids:
        owned = {id(each) for each in kept if _owner_uid(each.object) in uids}
        uids = {_uid(each.object) for each in kept if id(each) in owned} - {""}
        kept = [each for each in kept if id(each) not in owned]
        count += len(owned)
    loaded.documents = kept
    more = f" and {plural(count, 'object')} that it owns" if count else ""
    loaded.notes.append(f"without {word}{more}")


def _scale(loaded: LoadedManifests, text: str) -> None:
    word, equals, number = text.rpartition("=")
    if not equals or not number.isdigit():
        fix = "write it as in --scale deployment/web=20"
        raise InputError(f'"{text}" is no workload and number', path="--scale", fix=fix)
    document = object_words.find(loaded, word, "--scale")
    obj = document.object
    if obj["kind"] not in _SCALABLE:
        fix = f"scale one of {', '.join(_SCALABLE)}"
        raise InputError(f"a {obj['kind']} has no replicas", path="--scale", fix=fix)
    before = (obj.get("spec") or {}).get("replicas", 1)
    spec = {**(obj.get("spec") or {}), "replicas": int(number)}
    _replace(loaded, document, {**obj, "spec": spec})
    loaded.notes.append(f"{word} scaled from {before} to {number}")


def _reschedule(loaded: LoadedManifests, which: str, order: str) -> None:
    """Take pods off their nodes. The queue sorts by priority, and then in this order."""
    is_selected = _chosen(which)
    changed: list[Document] = []
    rest: list[Document] = []
    freed = 0
    for document in loaded.documents:
        obj = document.object
        if obj.get("kind") != "Pod" or not _can_move(obj) or not is_selected(obj):
            rest.append(document)
            continue
        freed += bool(_node_of(obj))
        changed.append(_changed(document, _freed(obj)))
    changed.sort(key=_age)
    if order == "creation":
        loaded.documents, loaded.sequence = rest, changed
    else:
        loaded.documents = [*rest, *changed]
    if which == _PENDING:
        loaded.notes.append(f"{plural(len(changed), 'pending pod')} to be scheduled")
    else:
        loaded.notes.append(f"{plural(freed, 'pod')} taken off their nodes")


def _chosen(which: str) -> Callable[[Json], bool]:
    if which == node_words.ALL:
        return lambda _: True
    if which == _PENDING:
        return lambda pod: not _node_of(pod)
    try:
        selector = label_selectors.parse(which)
    except MalformedValue as error:
        fix = "write all, pending, or a label selector as in app=web"
        raise InputError(f'"{which}": {error}', path="--reschedule", fix=fix) from None
    return lambda pod: selector.matches((pod.get("metadata") or {}).get("labels") or {})


def _can_move(pod: Json) -> bool:
    return not (_is_bound_to_node(pod) or _has_ended(pod))


def _is_bound_to_node(pod: Json) -> bool:
    """Whether a pod belongs to its node: of a DaemonSet, static, or terminating there."""
    owner = controller_of(pod) or {}
    metadata = pod.get("metadata") or {}
    is_static = _MIRROR in (metadata.get("annotations") or {})
    return (
        owner.get("kind") in ("DaemonSet", "Node") or is_static or "deletionTimestamp" in metadata
    )


def _has_ended(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in _ENDED


def _node_of(pod: Json) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")


def _freed(pod: Json) -> Json:
    """A pod as it was before it had a node."""
    spec = {key: value for key, value in pod["spec"].items() if key != "nodeName"}
    status = {"phase": "Pending"}
    if "qosClass" in (pod.get("status") or {}):
        status["qosClass"] = pod["status"]["qosClass"]
    return {**pod, "spec": spec, "status": status}


def _age(document: Document) -> tuple[str, str, str]:
    metadata = document.object["metadata"]
    created = str(metadata.get("creationTimestamp") or "")
    return created, str(metadata.get("namespace") or ""), str(metadata.get("name") or "")


def _of_kind(loaded: LoadedManifests, kind: str) -> Iterable[Document]:
    return (each for each in loaded.documents if each.object.get("kind") == kind)


def _owner_uid(obj: Json) -> str:
    return str((controller_of(obj) or {}).get("uid") or "") if obj.get("metadata") else ""


def _uid(obj: Json) -> str:
    return str((obj.get("metadata") or {}).get("uid") or "")


def _changed(document: Document, obj: Json) -> Document:
    return msgspec.structs.replace(document, object=obj)


def _replace(loaded: LoadedManifests, document: Document, obj: Json) -> None:
    at = next(index for index, each in enumerate(loaded.documents) if each is document)
    loaded.documents[at] = _changed(document, obj)
