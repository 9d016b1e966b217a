"""What containers find of their control group and of their own process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Unmodelled
from kubestage.objects.patches import PatchType
from tests.controllers.kubelet.program_cluster import POD, Cluster, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

FILES = ("cpu.max", "cpu.weight", "memory.max")
SCRIPT = "while true; do cat /sys/fs/cgroup/cpu.max; sleep 1; done"


def group(cluster: Cluster, name: str = "p") -> list[str]:
    lines = [cluster.execute(name, "head", "-n", "1", f"/sys/fs/cgroup/{each}") for each in FILES]
    assert all(code == 0 for _, code in lines)
    return [line.rstrip("\n") for line, _ in lines]


def limited(name: str, *words: str, spec: Json | None = None, **resources: Any) -> Json:
    made = pod(name, *(words or ("sleep", "1d")), policy="Always", resources=resources)
    made["spec"] |= spec or {}
    return made


# The weights are those of ConvertCPUSharesToCgroupV2Value in opencontainers/cgroups.
@pytest.mark.parametrize(
    ("resources", "found"),
    [
        ({}, ["max 100000", "1", "max"]),
        ({"requests": {"cpu": "1"}}, ["max 100000", "100", "max"]),
        ({"requests": {"cpu": "100m"}, "limits": {"cpu": "250m", "memory": "64Mi"}},
         ["25000 100000", "17", "67108864"]),
        ({"requests": {"cpu": "2m"}, "limits": {"cpu": "5m", "memory": "1G"}},
         ["1000 100000", "1", "999997440"]),
        ({"limits": {"cpu": "20m"}}, ["2000 100000", "6", "max"]),
    ],
)  # fmt: skip
def test_requests_and_limits_are_in_the_control_group(resources: Json, found: list[str]) -> None:
    assert group(Cluster(limited("p", **resources)).run("10s")) == found


def test_limits_of_the_pod_hold_where_a_container_has_none() -> None:
    spec = {"resources": {"limits": {"cpu": "500m", "memory": "64Mi"}}}
    cluster = Cluster(limited("p", spec=spec)).run("10s")
    assert group(cluster)[::2] == ["50000 100000", "67108864"]


@pytest.mark.parametrize("words", [("sleep", "1d"), ("sh", "-c", SCRIPT)])
def test_a_resize_reaches_the_control_group(words: tuple[str, ...]) -> None:
    resources = {"requests": {"cpu": "100m"}, "limits": {"cpu": "200m"}}
    cluster = Cluster(limited("p", *words, **resources)).run("10s")
    assert group(cluster) == ["20000 100000", "17", "max"]
    new = {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}
    patch = {"spec": {"containers": [{"name": "main", "resources": new}]}}
    cluster.stage.store.patch(POD, "p", patch, patch_type=PatchType.STRATEGIC, subresource="resize")
    cluster.run("100ms")
    assert group(cluster) == ["20000 100000", "17", "max"]
    cluster.run("10s")
    assert group(cluster) == ["200000 100000", "100", "max"]
    if words[0] == "sh":
        lines = cluster.log("p").split("\n")[:-1]
        assert lines == sorted(lines, key=lines.index)
        assert set(lines) == {"20000 100000", "200000 100000"}


def test_mounts_of_the_kernel() -> None:
    bold = limited("bold")
    bold["spec"]["containers"][0]["securityContext"] = {"privileged": True}
    cluster = Cluster(limited("p"), bold).run("10s")
    line, options = "cgroup on /sys/fs/cgroup type cgroup2 ", "nosuid,nodev,noexec,relatime"
    assert cluster.execute("p", "mount", "-t", "cgroup2") == (f"{line}(ro,{options})\n", 0)
    assert cluster.execute("bold", "mount", "-t", "cgroup2") == (f"{line}(rw,{options})\n", 0)
    said, code = cluster.execute("p", "sh", "-c", "echo 1 > /sys/fs/cgroup/cpu.max")
    assert ("Read-only file system" in said, code) == (True, 1)
    for words in (["mount"], ["mount", "-t", "ext4"], ["cat", "/sys/fs/cgroup/cpu.stat"]):
        with pytest.raises(Unmodelled):
            cluster.execute("p", *words)


@pytest.mark.parametrize(("may", "found"), [(True, "0"), (False, "1")])
def test_the_status_of_a_process_is_known_in_part(may: bool, found: str) -> None:
    made = limited("p", "sh", "-c", "grep Cpus_allowed_list /proc/self/status | cut -f2; sleep 1d")
    made["spec"]["containers"][0]["securityContext"] = {"allowPrivilegeEscalation": may}
    cluster = Cluster(made).run("10s")
    assert cluster.log("p") == "0-63\n"
    answer = cluster.execute("p", "grep", "NoNewPrivs", "/proc/self/status")
    assert answer == (f"NoNewPrivs:\t{found}\n", 0)
    for words in (["grep", "CapEff"], ["grep", "-c", "NoNewPrivs"], ["cat"]):
        with pytest.raises(Unmodelled):
            cluster.execute("p", *words, "/proc/self/status")
