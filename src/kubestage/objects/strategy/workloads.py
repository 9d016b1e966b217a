"""How objects with pod templates are prepared."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import pod_preparation

_TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
_CONTROLLER_UID: Final = ("controller-uid", "batch.kubernetes.io/controller-uid")
_JOB_NAME: Final = ("job-name", "batch.kubernetes.io/job-name")


def create(obj: dict[str, Any], _: str | None) -> None:
    """Fields of features that are off are dropped from the template."""
    _with_template(obj, None)


def update(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """As on creation, unless the fields were in use before."""
    _with_template(new, old)


def create_stateful_set(obj: dict[str, Any], now: str | None) -> None:
    """Rolling more than one pod at a time is off: its field is dropped."""
    create(obj, now)
    _without_max_unavailable(obj, None)


def update_stateful_set(new: dict[str, Any], old: dict[str, Any], now: str | None) -> None:
    """As on creation, unless the field was in use before."""
    update(new, old, now)
    _without_max_unavailable(new, old)


def _without_max_unavailable(obj: dict[str, Any], old: dict[str, Any] | None) -> None:
    path = ("spec", "updateStrategy", "rollingUpdate")
    rolling = _find(obj, path)
    before = None if old is None else _find(old, path)
    if rolling and "maxUnavailable" in rolling and not (before or {}).get("maxUnavailable"):
        kept = {key: value for key, value in rolling.items() if key != "maxUnavailable"}
        _replace(obj, path, kept)


def create_daemon_set(obj: dict[str, Any], now: str | None) -> None:
    """The generation of a daemon set's template lives on as an annotation."""
    create(obj, now)
    _set_template_generation(obj, max(_template_generation(obj), 1))


def update_daemon_set(new: dict[str, Any], old: dict[str, Any], now: str | None) -> None:
    """A changed template is a new generation of it."""
    update(new, old, now)
    templates = (_find(obj, ("spec", "template")) for obj in (new, old))
    changed = not equality.semantic_equal("core/v1.PodTemplateSpec", *templates)
    _set_template_generation(new, _template_generation(old) + changed)


def _template_generation(obj: dict[str, Any]) -> int:
    text = (obj["metadata"].get("annotations") or {}).get(_TEMPLATE_GENERATION) or "0"
    return int(text) if text.removeprefix("-").isdecimal() else 0


def _set_template_generation(obj: dict[str, Any], generation: int) -> None:
    annotations = obj["metadata"].get("annotations") or {}
    obj["metadata"]["annotations"] = {**annotations, _TEMPLATE_GENERATION: str(generation)}


def update_deployment_status(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """A controller that reports progress cannot relabel the deployment."""
    new["metadata"].pop("labels", None)
    if "labels" in old["metadata"]:
        new["metadata"]["labels"] = old["metadata"]["labels"]


def _with_template(obj: dict[str, Any], old: dict[str, Any] | None) -> None:
    path = _template_path(obj["kind"])
    spec = _find(obj, path)
    if spec is None:
        return
    cleaned = pod_preparation.drop_disabled_fields(spec, None if old is None else _find(old, path))
    if cleaned is not spec:
        _replace(obj, path, cleaned)


def _template_path(kind: str) -> tuple[str, ...]:
    if kind == "PodTemplate":
        return ("template", "spec")
    if kind == "CronJob":
        return ("spec", "jobTemplate", "spec", "template", "spec")
    return ("spec", "template", "spec")


def _find(obj: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any] | None:
    at: Any = obj
    for key in path:
        at = (at or {}).get(key)
    found: dict[str, Any] | None = at
    return found


def _replace(obj: dict[str, Any], path: tuple[str, ...], value: dict[str, Any]) -> None:
    """Put the value at the path; the dicts on the way are replaced, not changed."""
    for key in path[:-1]:
        obj[key] = dict(obj[key])
        obj = obj[key]
    obj[path[-1]] = value


def create_job(job: dict[str, Any], now: str | None) -> None:
    """A job selects its pods by its own uid, unless its author wants to select them himself."""
    create(job, now)
    spec = job.get("spec") or {}
    if spec.get("manualSelector") is True:
        return
    uid, name = job["metadata"].get("uid") or "", job["metadata"].get("name") or ""
    template = spec.get("template") or {}
    meta = template.get("metadata") or {}
    given = meta.get("labels")
    labels = dict(given or {})
    for keys, value in ((_CONTROLLER_UID, uid), (_JOB_NAME, name)):
        for key in keys:
            labels.setdefault(key, value)
    selector = dict(spec.get("selector") or {})
    matched = dict(selector.get("matchLabels") or {})
    matched.setdefault(_CONTROLLER_UID[1], uid)
    selector["matchLabels"] = matched
    if given and job["metadata"].get("labels") is given:
        job["metadata"]["labels"] = labels
    job["spec"] = {
        **spec,
        "selector": selector,
        "template": {**template, "metadata": {**meta, "labels": labels}},
    }


def read_back_job(job: dict[str, Any]) -> dict[str, Any]:
    """A job without labels of its own has those of its template."""
    meta = job["metadata"]
    labels = (_find(job, ("spec", "template", "metadata")) or {}).get("labels")
    if meta.get("labels") or not labels:
        return job
    return {**job, "metadata": {**meta, "labels": dict(labels)}}
