"""Containers request CPU and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from kubestage.objects import gvk
from kubestage.results.verdict.verdict import Severity  # noqa: TC001 - msgspec reads it
from kubestage.runs.check.rules.rule import OneSidedRule, RuleSettings, Violation
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.runs.check.rules.rule import RuleContext
    from kubestage.runs.check.side import Side, Workload


class RequestsSettings(RuleSettings, frozen=True, kw_only=True):
    """Which resources have to be requested."""

    severity: Severity = "warning"
    resources: list[str] = msgspec.field(default_factory=lambda: ["cpu", "memory"])


class RequestsRule(OneSidedRule[RequestsSettings]):
    """Containers without a request: the scheduler takes them to need nothing."""

    name: ClassVar[str] = "requests"
    Settings = RequestsSettings
    is_default = True

    @property
    def about(self) -> str:
        """What it requires."""
        return f"containers request {' and '.join(self.settings.resources)}"

    def violations(
        self, side: Side, context: RuleContext, only: frozenset[str] | None = None
    ) -> Iterator[Violation]:
        """Workloads with a container that lacks a request; defaults of a LimitRange count."""
        del context
        for name, each in side.workloads.items():
            if only is not None and name not in only:
                continue
            pod = self._pod(side, each)
            if pod is None:
                continue
            missing = []
            for at, container in enumerate(pod["spec"].get("containers") or ()):
                requests = (container.get("resources") or {}).get("requests") or {}
                lacks = [one for one in self.settings.resources if one not in requests]
                if lacks:
                    missing.append((at, container.get("name"), lacks))
            if missing:
                yield _violation(name, missing)
            elif only is not None:
                yield Violation(name, "", 0, "0 missing")

    def _pod(self, side: Side, workload: Workload) -> Json | None:
        """A pod of a workload, which has all defaults."""
        if workload.pods:
            return workload.pods[0]
        if workload.waiting:
            return side.stage.store.read(gvk.POD).get(workload.waiting[0].pod)
        return None


def _violation(name: str, missing: list[tuple[int, str, list[str]]]) -> Violation:
    at, container, lacks = missing[0]
    text = f'container "{container}" requests no {" and no ".join(lacks)}'
    if len(missing) > 1:
        text += f"; {plural(len(missing) - 1, 'other container')} of it neither"
    number = sum(len(each) for _, _, each in missing)
    path = f"containers[{at}]"
    kind = name.partition("/")[0]
    where = {"pod": f"spec.{path}", "cronjob": f"spec.jobTemplate.spec.template.spec.{path}"}
    place = where.get(kind, f"spec.template.spec.{path}")
    return Violation(name, text, number, f"{number} missing", place)
