"""Feeds the recommender with the state of the cluster: autoscalers, pods, samples and kills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import ownership, pods
from kubestage.controllers.vpa import checkpoints, oom, policies
from kubestage.controllers.vpa.targets import TargetError
from kubestage.controllers.vpa.vpa_state import CONFIG_DEPRECATED, CONFIG_UNSUPPORTED
from kubestage.errors import InputError
from kubestage.objects import labels, timestamps
from kubestage.store.log import DELETED
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.vpa.cluster_state import ClusterState, PodId
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.controllers.vpa.targets import Targets
    from kubestage.metrics.board import Board
    from kubestage.objects.labels import Selector
    from kubestage.store.log import Change
    from kubestage.store.store import Store


_PENDING: Final = "Pending"


class Feeder:
    """Updates a ClusterState. Pods are those of the latest changes."""

    def __init__(
        self,
        state: ClusterState,
        store: Store,
        board: Board,
        targets: Targets,
        settings: VpaSettings,
    ) -> None:
        self.state = state
        self._store = store
        self._board = board
        self._targets = targets
        self._settings = settings
        self._changed: dict[str, Json | None] = {}
        self._gone: list[PodId] = []
        self._ooms: list[oom.Oom] = []

    def add_pods(self, found: Mapping[str, Json]) -> None:
        """These pods are there, and no others."""
        known = (f"{namespace}/{name}" for namespace, name in self.state.pods)
        self._changed = {key: None for key in known if key not in found}
        for key, pod in found.items():
            self._add_pod(key, pod)

    def _add_pod(self, key: str, pod: Json) -> None:
        """A pod that is pending has used nothing yet, and counts as if it were not there."""
        self._changed[key] = None if pods.phase(pod) in ("", _PENDING) else pod

    def on_pod_change(self, change: Change) -> None:
        """A pod has changed; a container of it may have been killed."""
        if change.type == DELETED:
            self._changed[change.key] = None
            return
        self._add_pod(change.key, change.new)
        old = change.old
        if old is None or old.get("status") is change.new.get("status"):
            return
        if pods.phase(old) not in ("", _PENDING):
            self._ooms.extend(oom.observed(old, change.new))

    def observed(self) -> list[Json]:
        """The VerticalPodAutoscalers that are this recommender's business."""
        return [vpa for vpa in self._store.read(policies.VPA).values() if self._is_ours(vpa)]

    def _is_ours(self, vpa: Json) -> bool:
        chosen = vpa["spec"].get("recommenders") or ()
        name = self._settings.recommender_name
        is_selected = any(each["name"] == name for each in chosen)
        if not chosen and name == "default":
            is_selected = True
        ignored = self._settings.ignored_vpa_object_namespaces
        return is_selected and vpa["metadata"]["namespace"] not in ignored

    def load_vpas(self) -> None:
        """Take up what VerticalPodAutoscalers say now, and forget those that are gone."""
        now = timestamps.format_time(self.state.now_ns)
        known_ids: list[PodId] = []
        for obj in self.observed():
            selector, problem = self._selector(obj)
            vpa = self.state.add_or_update_vpa(obj, selector)
            vpa.conditions.pop(CONFIG_DEPRECATED, None)
            if problem:
                vpa.set_condition(CONFIG_UNSUPPORTED, True, now, message=problem)
            else:
                vpa.conditions.pop(CONFIG_UNSUPPORTED, None)
            known_ids.append((vpa.namespace, vpa.name))
        self.state.keep_vpas(known_ids)

    def _selector(self, vpa: Json) -> tuple[Selector, str]:
        try:
            selector = self._targets.selector(vpa)
        except TargetError as error:
            return labels.NOTHING, f"Cannot read targetRef. Reason: {error}"
        problem = self._targets.problem(vpa)
        return (labels.NOTHING, problem) if problem else (selector, "")

    def load_checkpoints(self) -> None:
        """Let autoscalers go on from what checkpoints have kept; those that are broken do not."""
        for obj in self._store.read(policies.CHECKPOINT).values():
            spec = obj.get("spec") or {}
            vpa_id = (obj["metadata"]["namespace"], spec.get("vpaObjectName") or "")
            vpa = self.state.vpas.get(vpa_id)
            if vpa is None:
                continue
            container = spec.get("containerName") or ""
            try:
                known_ids = checkpoints.read(obj)
                checkpoints.restore(self.state, vpa, container, known_ids, self._settings)
            except InputError:
                continue

    def load_pods(self) -> None:
        """Apply the changes of pods since the last time.

        Pods without an autoscaler, where these are passed over, are tried again the next time.
        """
        passed: dict[str, Json | None] = {}
        for key, pod in self._changed.items():
            namespace, _, name = key.partition("/")
            if pod is None:
                self._gone.append((namespace, name))
            elif self._settings.memory_saver and not self._is_selected(namespace, pod):
                passed[key] = pod
            else:
                self._load_pod((namespace, name), pod)
        self._changed = passed

    def _is_selected(self, namespace: str, pod: Json) -> bool:
        return self.state.is_selected(namespace, ownership.labels_of(pod))

    def _load_pod(self, pod_id: PodId, pod: Json) -> None:
        known = self.state.add_or_update_pod(
            pod_id, dict(ownership.labels_of(pod)), pods.phase(pod)
        )
        for container in pod["spec"]["containers"]:
            self.state.add_container(known, container["name"])

    def load_metrics(self) -> None:
        """Take up the samples that the board shows, then the kills; then forget pods that went."""
        for namespace in dict.fromkeys(namespace for namespace, _ in self.state.pods):
            for name, sample in self._board.pods(namespace).items():
                # The API has times in whole seconds.
                at_ns = sample.unix_ns // SECOND_NS * SECOND_NS
                pod_id = (namespace, name)
                for container, used in sample.containers.items():
                    millicores = -(-used.cpu_nanos // MILLISECOND_NS)
                    self.state.add_cpu(pod_id, container, millicores, at_ns)
                    self.state.add_memory(pod_id, container, used.memory_bytes, at_ns)
        for each in self._ooms:
            pod_id = (each.namespace, each.pod)
            self.state.record_oom(pod_id, each.container, each.requested, each.at_ns)
        self._ooms = []
        for pod_id in self._gone:
            self.state.delete_pod(pod_id)
        self._gone = []
