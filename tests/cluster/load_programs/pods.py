"""Stages with pods whose programs call the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.cluster.load_programs.running import LoadPrograms
from kubestage.cluster.profile import INSTANT
from kubestage.objects import gvk
from tests.cluster import stages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.cluster.load_programs.images import ProgramMaker
    from kubestage.cluster.profile import Profile

BENCHMARK = "gcr.io/k8s-staging-perf-tests/perf-tests-util/request-benchmark:v0.0.12"
TARGETS = 5


class Staged:
    """A stage with some pods to call, and the programs of others."""

    def __init__(
        self, profile: Profile = INSTANT, own: Mapping[str, ProgramMaker] | None = None
    ) -> None:
        self.stage, self.cluster = stages.alive(profile)
        for index in range(TARGETS):
            self.stage.store.create(stages.pod(f"bench-{index}"))
        self.stage.run("10s")
        self.programs = LoadPrograms(self.cluster, self.stage.streams, own or {})

    def add(
        self, *args: str, image: str = BENCHMARK, restart: str = "Always", **container: Any
    ) -> None:
        """A pod with a program; time passes until it runs."""
        pod = stages.pod("generator")
        pod["spec"]["restartPolicy"] = restart
        pod["spec"]["containers"][0] |= {"image": image, "args": list(args), **container}
        self.stage.store.create(pod)
        while self.phase != "Running":
            self.stage.run("10ms")

    @property
    def phase(self) -> str:
        """That of the pod with the program."""
        found: str = self.stage.store.read(gvk.POD)["default/generator"]["status"]["phase"]
        return found

    def calls(self, verb: str, resource: str = "pods") -> dict[int, int]:
        """How many calls of a verb had which code."""
        found: dict[int, int] = {}
        for endpoint in self.cluster.api.endpoints:
            name = endpoint.name
            if (name.verb, name.resource, name.subresource) == (verb, resource, ""):
                for code, count in endpoint.codes.items():
                    found[code] = found.get(code, 0) + count
        return found
