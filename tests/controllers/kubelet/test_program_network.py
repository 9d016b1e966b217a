"""Requests and names between containers whose programs are modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import Unmodelled
from kubestage.testing import make_service
from tests.controllers.kubelet.program_cluster import Cluster, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json


def test_a_service_has_ports_of_both_protocols() -> None:
    target = pod("target", image="agnhost", args=["netexec"], policy="Always")
    target["metadata"]["labels"] = {"app": "target"}
    service = make_service("both", selector={"app": "target"})
    service["spec"]["ports"] = [
        {"name": "tcp", "port": 80, "protocol": "TCP", "targetPort": 8080},
        {"name": "udp", "port": 80, "protocol": "UDP", "targetPort": 8081},
    ]
    cluster = Cluster(target, pod("p", "sleep", "1000"))
    cluster.stage.apply([service])
    cluster.run("10s")
    assert cluster.execute("p", "sh", "-c", "echo hostName | nc -u -w 2 both 80") == ("target", 0)
    said, code = cluster.execute("p", "sh", "-c", "echo hostName | nc -t -w 2 both 80")
    assert (said.splitlines()[0], code) == ("HTTP/1.1 400 Bad Request", 0)
    ports = [{"name": "tcp", "port": 8080, "protocol": "TCP"}]
    by_hand = {
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {"name": "own", "namespace": "default",
                     "labels": {"kubernetes.io/service-name": "own"}},
        "endpoints": [{"addresses": [cluster.status("target")["podIP"]]}], "ports": ports,
    }  # fmt: skip
    own = make_service("own")
    own["spec"]["ports"] = [{"name": "tcp", "port": 80}]
    own["spec"].pop("selector", None)
    cluster.stage.apply([own, by_hand])
    assert cluster.execute("p", "curl", "http://own/hostname") == ("target", 0)
    dialled = "/dial?host=both&port=80&protocol=udp&request=hostname"
    answer, _ = cluster.execute("p", "curl", f"http://both{dialled}")
    assert answer == '{"responses":["target"]}'


FULL = "web.default.svc.cluster.local"


def _service(name: str, **spec: object) -> Json:
    made = make_service(name, selector={"app": "db"})
    made["spec"] |= {"ports": [{"name": "sql", "port": 80, "targetPort": 8080}], **spec}
    return made


def _alias(name: str, target: str) -> Json:
    spec = {"type": "ExternalName", "externalName": target}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    db = pod("db", image="agnhost", args=["netexec"], policy="Always")
    db["metadata"]["labels"] = {"app": "db"}
    db["spec"] |= {"hostname": "one", "subdomain": "peers"}
    made = Cluster(db, pod("p", "sleep", "1000"))
    made.stage.apply([_service("web", clusterIP="10.96.0.7"), _service("peers", clusterIP="None")])
    made.stage.apply([_alias("alias", FULL), _alias("elsewhere", "foo.example.com")])
    return made.run("10s")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("+short +search web", "10.96.0.7\n"),
        ("+short +search web.default", "10.96.0.7\n"),
        (f"+short {FULL} A", "10.96.0.7\n"),
        (f"+short {FULL} AAAA", ""),
        ("+short web", ""),
        ("+short nobody.default.svc.cluster.local", ""),
        ("+tcp +noall +answer +search web A", f"{FULL}.\t30\tIN\tA\t10.96.0.7\n"),
        ("+short +search peers", "IP\n"),
        ("+short +search one.peers", "IP\n"),
        ("+short +search two.peers", ""),
        (f"+short _sql._tcp.{FULL} SRV", f"0 100 80 {FULL}.\n"),
        ("+short +search _sql._tcp.peers SRV", "0 100 8080 one.peers.default.svc.cluster.local.\n"),
        ("+short 7.0.96.10.in-addr.arpa PTR", f"{FULL}.\n"),
        ("+short +search alias", f"{FULL}.\n10.96.0.7\n"),
        ("+short +search elsewhere CNAME", "foo.example.com.\n"),
        ("+short 10-1-2-3.default.pod.cluster.local", "10.1.2.3\n"),
    ],
)
def test_names_lead_to_addresses(cluster: Cluster, question: str, answer: str) -> None:
    ip = cluster.status("db")["podIP"]
    assert cluster.execute("p", "dig", *question.split()) == (answer.replace("IP", ip), 0)


def test_nslookup_shows_aliases(cluster: Cluster) -> None:
    text, code = cluster.execute("p", "nslookup", "alias")
    assert (text.splitlines(), code) == (
        [
            "Server:\t\t10.96.0.10",
            "Address:\t10.96.0.10#53",
            "",
            f"alias.default.svc.cluster.local\tcanonical name = {FULL}.",
            f"Name:\t{FULL}",
            "Address: 10.96.0.7",
            "",
        ],
        0,
    )
    text, code = cluster.execute("p", "nslookup", "nobody")
    assert (text.splitlines()[-2], code) == ("** server can't find nobody: NXDOMAIN", 1)


def test_getent_reads_hosts_before_it_asks(cluster: Cluster) -> None:
    text, code = cluster.execute("p", "getent", "hosts", "localhost")
    assert (text.split(), code) == (["127.0.0.1", "localhost"], 0)
    text, code = cluster.execute("p", "getent", "hosts", "web")
    assert (text.split(), code) == (["10.96.0.7", FULL], 0)
    assert cluster.execute("p", "getent", "hosts", "nobody") == ("", 2)


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("http://web/hostname", "one"),
        ("http://web.default.svc/hostname", "one"),
        ("http://alias/hostname", "one"),
        # A headless Service has no port of its own: the address is that of the pod.
        ("http://peers:8080/hostname", "one"),
        ("http://one.peers:8080/hostname", "one"),
    ],
)
def test_requests_find_servers_by_name(cluster: Cluster, url: str, answer: str) -> None:
    assert cluster.execute("p", "curl", url) == (answer, 0)


@pytest.mark.parametrize("url", ["http://peers/hostname", "http://nobody/", "http://elsewhere/"])
def test_what_no_name_leads_to_is_not_made_up(cluster: Cluster, url: str) -> None:
    with pytest.raises(Unmodelled, match="answers"):
        cluster.execute("p", "curl", url)


@pytest.mark.parametrize(
    ("command", "answer", "code"),
    [
        ("curl -sS http://web/echo?msg=hi", "hi", 0),
        ("curl -s -o /dev/null -w '%{http_code}' 'http://web/echo?msg=a&code=404'", "404", 0),
        ("curl -sf 'http://web/echo?msg=a&code=500'", "", 22),
        ("curl -sI http://web/hostname | head -n 1", "HTTP/1.1 200 OK\r\n", 0),
        ("curl -s -o /tmp/page http://web/echo?msg=kept && cat /tmp/page", "kept", 0),
        ("curl -s --request POST --data a=b --max-time 5 http://web/echo?msg=sent", "sent", 0),
        ("curl -sf -w '%{http_code}' 'http://web/echo?msg=a&code=500'", "500", 22),
        ("wget -qO- http://web/echo?msg=got", "got", 0),
        ("wget -q -O /tmp/w http://web/echo?msg=file && cat /tmp/w", "file", 0),
        ("cd /tmp && wget -q http://web/hostname && cat hostname", "one", 0),
        ("wget -O- --header 'X-Kind: b' 'http://web/header?key=X-Kind'", "b", 0),
        (
            "wget -T 5 -O - --post-data=a http://web/header?key=content-type",
            "application/x-www-form-urlencoded",
            0,
        ),
        (
            "wget -qO- 'http://web/echo?msg=a&code=404'",
            "wget: server returned error: HTTP/1.1 404 Not Found\n",
            1,
        ),
        ("curl -s -H X-Kind:a http://web/header?key=X-Kind", "a", 0),
        ("curl -s -H 'X-Kind: a' http://web/header?key=X-Kind", "a", 0),
    ],
)
def test_what_curl_understands(cluster: Cluster, command: str, answer: str, code: int) -> None:
    assert cluster.execute("p", "sh", "-c", command) == (answer, code)


@pytest.mark.parametrize(
    "command",
    [
        "curl -d @/tmp/f http://web/",
        "curl --tlsv1.2 http://web/",
        "curl -w '%{time_total}' http://web/",
        "curl -o",
        "curl https://web/",
        "wget -O",
        "wget --spider http://web/",
        "wget -r http://web/",
    ],
)
def test_what_curl_does_not_understand(cluster: Cluster, command: str) -> None:
    with pytest.raises(Unmodelled):
        cluster.execute("p", "sh", "-c", command)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("dd if=/dev/zero of=/tmp/z bs=1 count=3 conv=fsync && wc -c < /tmp/z", "3"),
        ("echo hi | dd of=/tmp/h conv=fsync && cat /tmp/h", "hi"),
        ("echo hello > /tmp/w && dd if=/tmp/w bs=4 count=1", "hell"),
    ],
)
def test_dd_copies_however_it_reaches_the_disk(cluster: Cluster, command: str, answer: str) -> None:
    said, code = cluster.execute("p", "sh", "-c", f"({command}) 2>/dev/null")
    assert (said.strip(), code) == (answer, 0)


def test_files_have_numbers(cluster: Cluster) -> None:
    shown = [cluster.execute("p", "ls", "-idlh", "/tmp")[0].split() for _ in range(2)]
    assert shown[0] == shown[1]
    assert shown[0][0].isdigit()
    assert shown[0][1].startswith("drwx")


def test_ports_of_a_node_lead_to_its_pods() -> None:
    def at(name: str, address: str, protocol: str, *words: str) -> Json:
        port = {"hostPort": 54323, "hostIP": address, "containerPort": 8080, "protocol": protocol}
        return pod(name, image="agnhost", args=["netexec", *words], policy="Always", ports=[port])

    host = pod("host", "sleep", "1000")
    host["spec"]["hostNetwork"] = True
    cluster = Cluster(host, pod("p", "sleep", "1000")).run("10s")
    node = cluster.status("host")["hostIP"]
    udp = at("udp", node, "UDP", "--http-port=8008", "--udp-port=8080")
    cluster.stage.apply([at("own", "127.0.0.1", "TCP"), at("all", node, "TCP"), udp])
    cluster.run("10s")
    near = f"curl -s -g --connect-timeout 5 --interface {node} http://127.0.0.1:54323"
    assert cluster.execute("host", "sh", "-c", f"{near}/hostname") == ("own", 0)
    assert cluster.execute("host", "sh", "-c", f"{near}/clientip") == (f"{node}:40000", 0)
    for name in ("host", "p"):
        assert cluster.execute(name, "curl", f"http://{node}:54323/hostname") == ("all", 0)
    sent = f"echo hostname | nc -u -w 5 {node} 54323"
    assert cluster.execute("host", "sh", "-c", sent) == ("udp", 0)
    with pytest.raises(Unmodelled):
        cluster.execute("p", "curl", "http://127.0.0.1:54323/hostname")
