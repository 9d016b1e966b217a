"""Containers whose programs are modelled: exits, files, probes, hooks, signals."""

from __future__ import annotations

import base64

import pytest

from kubestage.programs import tokens
from kubestage.programs.http import HttpRequest
from tests.controllers.kubelet.program_cluster import POD, Cluster, pod


@pytest.mark.parametrize(
    ("script", "policy", "phase", "restarts"),
    [
        ("exit 42", "Never", "Failed", 0),
        ("true", "OnFailure", "Succeeded", 0),
        ("echo x >> /data/f; [ $(wc -l < /data/f) -eq 2 ] || exit 1", "OnFailure", "Succeeded", 1),
        ("exit 0", "Always", "Running", 2),
    ],
)
def test_exit_codes_decide(script: str, policy: str, phase: str, restarts: int) -> None:
    made = pod("p", "sh", "-c", script, policy=policy)
    made["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}]
    made["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    cluster = Cluster(made).run("20s")
    assert cluster.status("p")["phase"] == phase
    assert cluster.container("p")["restartCount"] == restarts
    if script == "exit 42":
        assert cluster.container("p")["state"]["terminated"]["exitCode"] == 42


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo -n DONE > /dev/termination-log; false", "DONE"),
        ("echo from log; exit 1", "from log\n"),
        ("echo from log", None),
    ],
)
def test_a_container_leaves_a_message(script: str, message: str | None) -> None:
    policy = {"terminationMessagePolicy": "FallbackToLogsOnError"}
    cluster = Cluster(pod("p", "sh", "-c", script, **policy)).run("10s")
    assert cluster.container("p")["state"]["terminated"].get("message") == message


def test_annotations_and_unmodelled_programs_are_as_they_were() -> None:
    stated = pod("stated", "sh", "-c", "exit 3")
    stated["metadata"]["annotations"] = {"kubestage.dev/exit-code": "7"}
    cluster = Cluster(stated, pod("unknown", "sh", "-c", "frobnicate")).run("30s")
    assert cluster.container("stated")["state"]["terminated"]["exitCode"] == 7
    assert cluster.container("unknown")["state"]["terminated"]["exitCode"] == 0
    assert cluster.kubelet.inside.process(cluster.uid("unknown"), "main", False) is None


def test_references_in_commands_are_replaced_before_it_is_run() -> None:
    env = [{"name": "WORD", "value": "hello"}]
    cluster = Cluster(pod("p", "sh", "-c", "echo $(WORD)-$HOSTNAME", env=env)).run("5s")
    assert cluster.log("p") == "hello-p\n"


def test_containers_share_volumes_and_init_containers_come_first() -> None:
    made = pod("p", "sh", "-c", "cat /data/f; sleep 5; cat /data/g")
    mounts = [{"name": "data", "mountPath": "/data"}]
    made["spec"]["containers"][0]["volumeMounts"] = mounts
    writer = {"image": "busybox", "volumeMounts": mounts}
    made["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}]
    made["spec"]["initContainers"] = [
        {**writer, "name": "init", "command": ["sh", "-c", "echo first > /data/f"]}
    ]
    made["spec"]["containers"].append(
        {**writer, "name": "other", "command": ["sh", "-c", "sleep 3; echo second > /data/g"]}
    )
    cluster = Cluster(made).run("30s")
    assert cluster.log("p") == "first\nsecond\n"
    assert cluster.status("p")["phase"] == "Succeeded"


def test_a_changed_config_map_reaches_the_files_after_a_while() -> None:
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c"},
        "data": {"k": "1"},
    }
    words = ("mounttest", "--file_content_in_loop=/etc/c/k", "--break_on_expected_content=false")
    mounts = [
        {"name": "c", "mountPath": "/etc/c"},
        {"name": "c", "mountPath": "/k", "subPath": "k"},
    ]
    made = pod("p", image="agnhost:2.1", args=[*words, "--retry_time=600"], volumeMounts=mounts)
    made["spec"]["volumes"] = [{"name": "c", "configMap": {"name": "c", "defaultMode": 0o400}}]
    cluster = Cluster(config, made).run("10s")
    assert 'content of file "/etc/c/k": 1\n' in cluster.log("p")
    cluster.stage.store.update(
        {**cluster.stage.store.get(("v1", "ConfigMap"), "c"), "data": {"k": "2"}}
    )
    cluster.run("10s")
    assert '": 2\n' not in cluster.log("p")
    cluster.run("80s")
    assert 'content of file "/etc/c/k": 2\n' in cluster.log("p")
    assert cluster.execute("p", "cat", "/k") == ("1", 0)
    assert cluster.execute("p", "stat", "-L", "-c", "%a", "/etc/c/k") == ("400\n", 0)
    assert cluster.execute("p", "sh", "-c", "echo x > /etc/c/k")[1] == 1


def test_secrets_belong_to_the_group_of_the_pod() -> None:
    data = {"k": base64.b64encode(b"v").decode()}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": data}
    words = ("mounttest", "--file_content=/s/k", "--file_mode=/s/k")
    made = pod(
        "p", image="agnhost", args=list(words), volumeMounts=[{"name": "s", "mountPath": "/s"}]
    )
    made["spec"]["securityContext"] = {"runAsUser": 1000, "fsGroup": 1001}
    made["spec"]["volumes"] = [{"name": "s", "secret": {"secretName": "s", "defaultMode": 0o440}}]
    cluster = Cluster(secret, made).run("5s")
    assert cluster.log("p") == 'mode of file "/s/k": -r--r-----\ncontent of file "/s/k": v\n'


def test_a_liveness_probe_finds_what_the_program_did() -> None:
    script = "echo ok >/tmp/health; sleep 10; rm -rf /tmp/health; sleep 600"
    probe = {"exec": {"command": ["cat", "/tmp/health"]}, "periodSeconds": 5, "failureThreshold": 1}
    cluster = Cluster(pod("p", "sh", "-c", script, policy="Always", livenessProbe=probe)).run("30s")
    assert cluster.container("p")["restartCount"] >= 1
    assert "Unhealthy" in cluster.reasons()


def test_a_readiness_probe_follows_commands_and_then_rests() -> None:
    probe = {"exec": {"command": ["test", "-f", "/tmp/ready"]}, "periodSeconds": 2}
    cluster = Cluster(pod("p", "sleep", "6000", policy="Always", readinessProbe=probe)).run("30s")
    assert not cluster.container("p")["ready"]
    before = cluster.kubelet.pods[cluster.uid("p")].serial
    cluster.run("10m")
    assert cluster.kubelet.pods[cluster.uid("p")].serial == before
    assert cluster.execute("p", "touch", "/tmp/ready") == ("", 0)
    assert cluster.run("5s").container("p")["ready"]
    cluster.execute("p", "rm", "/tmp/ready")
    assert not cluster.run("10s").container("p")["ready"]


def test_an_http_probe_asks_the_program() -> None:
    probe = {
        "httpGet": {"path": "/healthz", "port": 8080},
        "periodSeconds": 2,
        "failureThreshold": 1,
    }
    cluster = Cluster(
        pod("sick", image="agnhost", args=["liveness"], policy="Always", livenessProbe=probe),
        pod("well", image="agnhost", args=["netexec"], policy="Always", livenessProbe=probe),
        pod("deaf", image="agnhost", args=["pause"], policy="Always", readinessProbe=probe),
    ).run("20s")
    assert cluster.container("sick")["restartCount"] == 1
    assert cluster.container("well")["restartCount"] == 0
    assert not cluster.container("deaf")["ready"]


def test_files_of_an_image_decide_about_a_probe() -> None:
    probe = {"httpGet": {"path": "/localhost.crt", "port": 80}, "periodSeconds": 1,
             "failureThreshold": 1}  # fmt: skip
    target = pod("p", image="agnhost", args=["test-webserver"], policy="Always",
                 readinessProbe=probe)  # fmt: skip
    cluster = Cluster(target).run("5s")
    assert cluster.container("p")["ready"]
    moved = cluster.execute("p", "sh", "-c", "mv -v /localhost.crt /tmp/ || true")
    assert moved == ("'/localhost.crt' -> '/tmp/localhost.crt'\n", 0)
    assert not cluster.run("3s").container("p")["ready"]
    cluster.execute("p", "mv", "-v", "/tmp/localhost.crt", "/")
    assert cluster.run("3s").container("p")["ready"]


def test_hooks_reach_a_server_in_another_pod() -> None:
    cluster = Cluster(pod("target", image="agnhost", args=["netexec"], policy="Always")).run("10s")
    address = cluster.status("target")["podIP"]
    url = f"http://{address}:8080/echo?msg=started"
    get = {"httpGet": {"host": address, "port": 8080, "path": "/echo?msg=stopped"}}
    hooks = {"postStart": {"exec": {"command": ["sh", "-c", f"curl {url}"]}}, "preStop": get}
    cluster.stage.apply([pod("p", image="pause:3.10", policy="Always", lifecycle=hooks)])
    cluster.run("10s")
    assert "msg=started" in cluster.log("target")
    assert "msg=stopped" not in cluster.log("target")
    cluster.stage.store.delete(POD, "p")
    assert "msg=stopped" in cluster.run("5s").log("target")


def test_a_trap_decides_how_a_pod_ends() -> None:
    script = "trap 'exit 3' TERM; while true; do sleep 1; done"
    cluster = Cluster(pod("p", "sh", "-c", script)).run("10s")
    found = cluster.stage.store.get(POD, "p")
    cluster.stage.store.update({**found, "spec": {**found["spec"], "activeDeadlineSeconds": 15}})
    terminated = cluster.run("30s").container("p")["state"]["terminated"]
    assert terminated["exitCode"] == 3


def test_a_request_may_end_a_server_and_it_starts_again() -> None:
    cluster = Cluster(pod("p", image="agnhost", args=["netexec"], policy="Always")).run("10s")
    inside, uid = cluster.kubelet.inside, cluster.uid("p")
    answer = inside.request(uid, 8080, HttpRequest("GET", "/exit", "code=4"))
    assert answer is not None
    cluster.run("2s")
    assert cluster.container("p")["lastState"]["terminated"]["exitCode"] == 4
    assert "GET /exit" in cluster.log("p", is_previous=True)
    assert "GET /exit" not in cluster.log("p")


def test_a_stage_with_programs_is_forked_as_it_is() -> None:
    cluster = Cluster(pod("p", "sh", "-c", "echo a; sleep 20; echo b; exit 5")).run("10s")
    forked = cluster.stage.fork()
    forked.run("30s")
    assert (
        forked.store.get(POD, "p")["status"]["containerStatuses"][0]["state"]["terminated"][
            "exitCode"
        ]
        == 5
    )
    assert cluster.status("p")["phase"] == "Running"


def test_programs_of_many_pods_cost_nothing_where_they_only_sleep() -> None:
    cluster = Cluster(pod("p", "sleep", "6000"), pod("q", image="pause:3.10")).run("10s")
    for name in ("p", "q"):
        assert cluster.kubelet.inside.process(cluster.uid(name), "main", False) is None
    assert cluster.execute("p", "sh", "-c", "echo $HOSTNAME > /tmp/f; cat /tmp/f") == ("p\n", 0)
    assert cluster.execute("p", "cat", "/tmp/f") == ("p\n", 0)


@pytest.mark.parametrize("name", ["kernel.shm_rmid_forced", "kernel/shm_rmid_forced"])
def test_parameters_of_the_kernel_are_those_of_the_pod(name: str) -> None:
    made = pod("p", "/bin/sysctl", "kernel.shm_rmid_forced")
    made["spec"]["securityContext"] = {
        "sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}]
    }
    assert Cluster(made).run("10s").log("p") == "kernel.shm_rmid_forced = 1\n"


def test_hosts_are_those_of_the_pod_or_of_the_node() -> None:
    mounts = [{"name": "hosts", "mountPath": "/etc/hosts"}]
    volumes = [{"name": "hosts", "hostPath": {"path": "/etc/hosts", "type": "FileOrCreate"}}]
    mounted = pod("mounted", "sleep", "1000", volumeMounts=mounts)
    mounted["spec"]["volumes"] = volumes
    of_node = pod("node", "sleep", "1000")
    of_node["spec"]["hostNetwork"] = True
    cluster = Cluster(pod("own", "sleep", "1000"), mounted, of_node).run("10s")
    texts = {
        name: cluster.execute(name, "cat", "/etc/hosts")[0] for name in ("own", "mounted", "node")
    }
    assert texts["own"].startswith("# Kubernetes-managed hosts file.\n")
    assert texts["mounted"] == "127.0.0.1\tlocalhost\n"
    assert texts["node"] == f"# Kubernetes-managed hosts file (host network).\n{texts['mounted']}"


@pytest.mark.parametrize(
    ("security", "mode"),
    [({}, "644 0 0"), ({"runAsUser": 7}, "600 7 0"), ({"fsGroup": 9}, "640 0 9")],
)
def test_a_token_is_for_those_who_read_it(security: dict[str, int], mode: str) -> None:
    made = pod("p", "sleep", "1000", volumeMounts=[{"name": "t", "mountPath": "/t"}])
    source = {"serviceAccountToken": {"path": "token"}}
    made["spec"] |= {
        "securityContext": security,
        "volumes": [{"name": "t", "projected": {"sources": [source]}}],
    }
    cluster = Cluster(made)
    tokens.provide(cluster.stage.store, lambda _pod, _projection: "secret")
    cluster.run("10s")
    assert cluster.execute("p", "stat", "-L", "-c", "%a %u %g", "/t/token") == (f"{mode}\n", 0)


def test_a_node_takes_a_moment_to_see_that_a_program_has_stopped() -> None:
    cluster = Cluster(pod("p", image="agnhost", policy="Always")).run("10s")
    cluster.stage.store.delete(POD, "p")
    cluster.run("900ms")
    assert cluster.stage.store.get(POD, "p")["metadata"]["deletionGracePeriodSeconds"] == 30
    cluster.run("200ms")
    assert "default/p" not in cluster.stage.store.read(POD)
