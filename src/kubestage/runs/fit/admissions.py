"""What makes the API refuse a new pod: quotas, and classes and accounts that are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.quota import amounts
from kubestage.runs.fit import candidate, quotas
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
    raised = (_raised(*each) for each in quotas.exceeded(copy.store, pod, edit.remove))
    for each in (*_missing(copy, pod), *raised):
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


def _raised(quota: Json, enough: ResourceList) -> Candidate:
    """A quota with just as much as it takes."""
    more = amounts.write(enough)
    spec, status = quota["spec"], quota["status"]
    key = f"{quota['metadata']['namespace']}/{quota['metadata']['name']}"
    raised = {
        **quota,
        "spec": {**spec, "hard": {**spec["hard"], **more}},
        "status": {**status, "hard": {**status["hard"], **more}},
    }
    parts = [f"{name} from {spec['hard'].get(name)} to {amount}" for name, amount in more.items()]
    text = f"raise the quota {key}: {', '.join(parts)}"
    return Candidate(RAISE_QUOTA, text, Edit(put=(raised,)), (candidate.OTHER_OBJECT,))
