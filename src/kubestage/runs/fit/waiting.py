"""Pods that wait on a stage, in groups of one template, and workloads whose pods are refused."""

from __future__ import annotations

import collections
import json
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import wording
from kubestage.errors import ApiError
from kubestage.objects import gvk
from kubestage.results.report.fit import FitParagraph
from kubestage.runs import fit
from kubestage.runs.fit import cluster_image
from kubestage.runs.fit.advice import FitAdvice  # noqa: TC001 - msgspec reads it
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.stage import Stage

MOST: Final = 5
"""So many groups have an advice of their own."""
_OWN_LABELS: Final = frozenset(
    {
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/job-completion-index",
        "statefulset.kubernetes.io/pod-name",
    }
)
_OWN_FIELDS: Final = frozenset({"hostname", "subdomain", "volumes"})
_ENDED: Final = ("Succeeded", "Failed")
TEMPLATES: Final = {
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "ReplicaSet": "apps/v1",
    "ReplicationController": "v1",
    "StatefulSet": "apps/v1",
}
"""The kinds that make pods of a template, with their versions."""


class WaitingGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Pods of one template that have no node, and the advice on the first of them.

    A workload whose pods the API refuses is a group without pods.
    """

    subject: str
    pods: list[str]
    advice: FitAdvice

    @property
    def title(self) -> str:
        """Which pods these are."""
        if not self.pods:
            return f"{self.subject}: its pods are refused: {self.advice.message}"
        if len(self.pods) == 1:
            return self.pods[0]
        return f"{wording.plural(len(self.pods), 'pod')} alike: {few(self.pods)}"

    def paragraph(self) -> FitParagraph:
        """The group as a report shows it."""
        return FitParagraph(self.title, self.advice.lines())


def paragraphs(stage: Stage, most: int = MOST) -> list[FitParagraph]:
    """What a report says of the largest groups, and of how many there are more."""
    every = list(_pending(stage).values())
    found = [each.paragraph() for each in groups(stage, most)]
    if len(every) > most:
        more = wording.plural(len(every) - most, "more group")
        found.append(FitParagraph(f"{more} of pods wait: `kubestage explain` advises on each", []))
    return found


def groups(stage: Stage, most: int = MOST) -> list[WaitingGroup]:
    """The largest groups of pods that wait, then the workloads whose pods are refused."""
    largest = sorted(_pending(stage).values(), key=len, reverse=True)[:most]
    refused = list(_refused(stage))[: most - len(largest)]
    if not largest and not refused:
        return []
    image = cluster_image.image_of(stage)
    found = []
    for keys in largest:
        pod = stage.store.read(gvk.POD)[keys[0]]
        found.append(WaitingGroup(subject=keys[0], pods=keys, advice=fit.advise_on(image, pod)))
    for name, workload in refused:
        advice = fit.advise_on(image, pod_of(workload))
        if not advice.fits:
            found.append(WaitingGroup(subject=name, pods=[], advice=advice))
    return found


def advise_workload(stage: Stage, workload: Json) -> FitAdvice:
    """Whether one more pod of a workload would be created and placed, and what would help."""
    return fit.advise(stage, pod_of(workload))


def pod_of(workload: Json) -> Json:
    """A new pod as a workload makes it."""
    template, metadata = workload["spec"]["template"], workload["metadata"]
    own = dict(template.get("metadata") or {})
    own |= {"generateName": f"{metadata['name']}-", "namespace": metadata["namespace"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": template["spec"]}


def _pending(stage: Stage) -> dict[str, list[str]]:
    """The pods without a node, by what their templates have in common."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for key, pod in stage.store.read(gvk.POD).items():
        phase = (pod.get("status") or {}).get("phase")
        if not pod["spec"].get("nodeName") and phase not in _ENDED:
            found[_template_key(pod)].append(key)
    return found


def _template_key(pod: Json) -> str:
    metadata = pod["metadata"]
    labels = {
        name: value
        for name, value in (metadata.get("labels") or {}).items()
        if name not in _OWN_LABELS
    }
    spec = {name: value for name, value in pod["spec"].items() if name not in _OWN_FIELDS}
    return json.dumps([metadata["namespace"], labels, spec], sort_keys=True)


def _refused(stage: Stage) -> Iterator[tuple[str, Json]]:
    """Workloads for which Events say that a pod could not be created, by name."""
    seen = set()
    for event in stage.store.read(gvk.EVENT).values():
        subject = event.get("involvedObject") or {}
        kind = subject.get("kind", "")
        if event.get("reason") != "FailedCreate" or kind not in TEMPLATES:
            continue
        workload = find_workload(stage, kind, subject["namespace"], subject["name"])
        if workload is not None and workload["metadata"]["uid"] not in seen:
            seen.add(workload["metadata"]["uid"])
            yield _name_of(workload), workload


def find_workload(stage: Stage, kind: str, namespace: str, name: str) -> Json | None:
    """A workload of a stage, by its kind and name."""
    try:
        return stage.store.get((TEMPLATES[kind], kind), name, namespace)
    except ApiError:
        return None


def _name_of(workload: Json) -> str:
    """A workload under the name by which people know it: that of its Deployment, if it has one."""
    metadata, kind = workload["metadata"], workload["kind"]
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            return f"{owner['kind'].lower()}/{metadata['namespace']}/{owner['name']}"
    return f"{kind.lower()}/{metadata['namespace']}/{metadata['name']}"
