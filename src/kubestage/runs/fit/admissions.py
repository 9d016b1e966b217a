"""What makes the API refuse a new pod: quotas, and classes and accounts that are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.objects.quota import amounts, evaluators
from kubestage.runs.fit import candidate
from kubestage.runs.fit.candidate import Candidate
from kubestage.runs.fit.edit import NOTHING, Edit
from kubestage.runs.fit.gates import PRIORITY_CLASS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.runs.fit.cluster_copy import ClusterCopy

RAISE_QUOTA: Final = "raise-quota"
CREATE: Final = "create-object"
_ACCOUNT: Final = ("v1", "ServiceAccount")


def remedy(copy: ClusterCopy, edit: Edit = NOTHING) -> Candidate | None:
    """All that the API needs to let the pod in after an edit, as one change; None if nothing."""
    found: Candidate | None = None
    pod = edit.changed(copy.pod)
    for each in (*_missing(copy, pod), *_quotas(copy, pod)):
        found = each if found is None else found.and_(each)
    return found


def _missing(copy: ClusterCopy, pod: Json) -> Iterator[Candidate]:
    spec, namespace = pod["spec"], pod["metadata"]["namespace"]
    name = spec.get("priorityClassName")
    if name and name not in copy.objects(PRIORITY_CLASS):
        made = _object(PRIORITY_CLASS, name, None, value=0)
        text = f"create the PriorityClass {name}"
        yield Candidate(CREATE, text, Edit(put=(made,)), (candidate.OTHER_OBJECT,))
    account = spec.get("serviceAccountName")
    if account and f"{namespace}/{account}" not in copy.objects(_ACCOUNT):
        made = _object(_ACCOUNT, account, namespace)
        text = f"create the ServiceAccount {namespace}/{account}"
        yield Candidate(CREATE, text, Edit(put=(made,)), (candidate.OTHER_OBJECT,))


def _object(kind: tuple[str, str], name: str, namespace: str | None, **fields: int) -> Json:
    metadata = {"name": name, "uid": f"uid-{name}"}
    if namespace is not None:
        metadata["namespace"] = namespace
    return {"apiVersion": kind[0], "kind": kind[1], "metadata": metadata, **fields}


def _quotas(copy: ClusterCopy, pod: Json) -> Iterator[Candidate]:
    """Each quota that the pod exceeds, with just as much as it takes."""
    evaluator = evaluators.of(copy.store.kind(gvk.POD))
    assert evaluator is not None, "pods are counted by quotas"
    usage = amounts.without_zeros(evaluator.usage(pod, copy.store.clock.unix_ns))
    for key, quota in copy.objects(gvk.RESOURCE_QUOTA).items():
        if key.partition("/")[0] != pod["metadata"]["namespace"]:
            continue
        status = quota.get("status") or {}
        hard, used = amounts.read(status.get("hard")), amounts.read(status.get("used"))
        if not evaluator.fits_scopes(quota, pod):
            continue
        after = amounts.add(used, amounts.mask(usage, hard))
        exceeded = amounts.exceeding(amounts.mask(after, usage), hard)
        if exceeded:
            yield _raised(key, quota, amounts.mask(after, exceeded))


def _raised(key: str, quota: Json, enough: ResourceList) -> Candidate:
    more = amounts.write(enough)
    spec, status = quota["spec"], quota["status"]
    raised = {
        **quota,
        "spec": {**spec, "hard": {**spec["hard"], **more}},
        "status": {**status, "hard": {**status["hard"], **more}},
    }
    parts = [f"{name} from {spec['hard'].get(name)} to {amount}" for name, amount in more.items()]
    text = f"raise the quota {key}: {', '.join(parts)}"
    return Candidate(RAISE_QUOTA, text, Edit(put=(raised,)), (candidate.OTHER_OBJECT,))
