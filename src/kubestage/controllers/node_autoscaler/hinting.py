"""Pods tried on the nodes of a copy, each first where it was put the last time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import equivalence, pod_state
from kubestage.controllers.ownership import controller_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.objects.views.pod import PodView

_MOST_OF_ONE_CONTROLLER: Final = 10


class HintingSimulator:
    """Remembers where pods were put, for two scans."""

    def __init__(self) -> None:
        self._current: dict[str, str] = {}
        self._old: dict[str, str] = {}

    def drop_old_hints(self) -> None:
        """A scan is over: forget what only the one before it found."""
        self._old, self._current = self._current, {}

    def schedule(
        self,
        snapshot: Snapshot,
        pods: Sequence[PodView],
        among: Collection[str] | None = None,
        *,
        stops: bool = False,
    ) -> dict[str, str]:
        """Put pods one by one on nodes of a copy; the node of each that fits, by uid.

        `among` are the nodes that may be used. It may stop at the first pod that fits nowhere.
        """
        hopeless = _Hopeless()
        found: dict[str, str] = {}
        at = 0
        while at < len(pods):
            pod = pods[at]
            name = self._by_hint(snapshot, pod, among)
            if name:
                found[pod.uid] = name
                at += 1
                continue
            if hopeless.has(pod):
                if stops:
                    break
                at += 1
                continue
            run = self._unhinted(pods, at)
            names = snapshot.place(run, among)
            for each, name in zip(run, names, strict=False):
                self._current[each.uid] = found[each.uid] = name
            at += len(names)
            if len(names) < len(run):
                if stops:
                    break
                hopeless.add(pods[at])
                at += 1
        return found

    def _by_hint(
        self, snapshot: Snapshot, pod: PodView, among: Collection[str] | None
    ) -> str | None:
        name = self._hint(pod)
        if name is None or snapshot.node(name) is None:
            return None
        if (among is not None and name not in among) or snapshot.put(pod, name) is not None:
            return None
        self._current[pod.uid] = name
        return name

    def _hint(self, pod: PodView) -> str | None:
        found = self._current.get(pod.uid)
        return self._old.get(pod.uid) if found is None else found

    def _unhinted(self, pods: Sequence[PodView], start: int) -> Sequence[PodView]:
        """A pod, and those right behind it that are like it and have no hint."""
        end, first = start + 1, pods[start]
        while (
            end < len(pods)
            and self._hint(pods[end]) is None
            and equivalence.are_one_template(first, pods[end])
        ):
            end += 1
        return pods[start:end]


class _Hopeless:
    """Pods that fit nowhere; others like them need not be tried."""

    def __init__(self) -> None:
        self._of_controller: dict[str, list[PodView]] = {}

    def has(self, pod: PodView) -> bool:
        """Whether one like this is among them."""
        owner = controller_of(pod.raw)
        known = self._of_controller.get(owner["uid"], ()) if owner is not None else ()
        return any(equivalence.are_alike(each, pod) for each in known)

    def add(self, pod: PodView) -> None:
        """This pod fits nowhere."""
        owner = controller_of(pod.raw)
        if owner is None or pod_state.is_daemon(pod):
            return
        known = self._of_controller.setdefault(owner["uid"], [])
        if len(known) < _MOST_OF_ONE_CONTROLLER:
            known.append(pod)
