"""What pods say of themselves: read for the pod or a container, refused in words, drawn apart."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.settings import Settings
from kubestage.errors import InputError
from tests.controllers.kubelet.clusters import Cluster, at

IMAGES = [{"names": ["app:1"], "sizeBytes": 1}]


def cluster_now(**settings: Any) -> Cluster:
    cluster = Cluster(**settings)
    cluster.node(
        status={"images": IMAGES, "capacity": {"cpu": "9", "memory": "9Gi", "pods": "999"}}
    )
    cluster.run("1s")
    return cluster


def test_a_launch_takes_its_time_once_and_a_containers_own_each_time() -> None:
    cluster = cluster_now()
    notes = {"launch-delay": "7s", "launch-delay.c": "2s", "run-duration": "10s"}
    cluster.pod(annotations=notes)
    cluster.run("15s")
    assert cluster.container()["state"]["running"]["startedAt"] == at(10)
    cluster.run("15s")
    assert cluster.container()["state"]["running"]["startedAt"] == at(22)


def test_what_cannot_be_read_is_told_and_the_default_holds() -> None:
    cluster = cluster_now()
    notes = {
        "launch-delay": "soon",
        "exit-code": "x",
        "run-duration": "normal(1s)",
        "image-size": "?",
    }
    cluster.pod(annotations=notes)
    cluster.run("1h")
    assert cluster.container()["state"]["running"]["startedAt"] == at(2)
    told = [text for reason, text in cluster.events() if reason == "InvalidAnnotation"]
    assert len(told) == 4
    assert told[0].startswith("Annotation kubestage.dev/")
    assert any("normal takes mean and standard deviation" in text for text in told)


def test_the_luck_of_a_pod_does_not_depend_on_other_pods() -> None:
    def starts(names: list[str]) -> dict[str, str]:
        cluster = cluster_now(launch_delay="exp(1m)")
        for name in names:
            cluster.pod(name)
        cluster.run("20m")
        return {name: cluster.container(name)["state"]["running"]["startedAt"] for name in names}

    alone, together = starts(["b"]), starts(["a", "b", "c"])
    assert together["b"] == alone["b"]
    assert len(set(together.values())) == 3


def test_containers_of_jobs_end_and_servers_run_for_ever_unless_told() -> None:
    cluster = cluster_now()
    cluster.pod("job", restartPolicy="OnFailure")
    cluster.pod("server")
    cluster.pod("stubborn", restartPolicy="Never", annotations={"run-duration": "forever"})
    cluster.run("24h")
    phases = [cluster.status(name)["phase"] for name in ("job", "server", "stubborn")]
    assert phases == ["Succeeded", "Running", "Running"]
    shorter = cluster_now(run_duration="5s")
    shorter.pod(restartPolicy="Never")
    shorter.run("7s")
    assert shorter.status()["phase"] == "Succeeded"


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"launch_delay": "soon"}, "kubelet.launch_delay"),
        ({"run_duration": "x"}, "kubelet.run_duration"),
        ({"image_size": "big"}, "kubelet.image_size"),
        ({"image_sizes": {"app": "big"}}, "kubelet.app"),
    ],
)
def test_settings_that_cannot_be_read_are_refused(settings: dict[str, object], path: str) -> None:
    with pytest.raises(InputError) as error:
        KubeletSettings(**settings)  # type: ignore[arg-type] # wrong on purpose
    assert error.value.path == path


def test_settings_are_part_of_those_of_the_controllers() -> None:
    read = msgspec.convert({"kubelet": {"launch_delay": "3s"}}, Settings)
    assert read.kubelet.launch_delay == "3s"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"kubelet": {"lanch_delay": "3s"}}, Settings)
