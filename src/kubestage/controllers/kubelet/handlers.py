"""Probes and hooks of containers whose programs are modelled: what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.kubelet import programs
from kubestage.errors import Unmodelled
from kubestage.programs import http
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.network import Network
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.programs.process import Process

_USER_AGENT: Final = "kube-probe/1.36"


def is_known(container: Container, handler: Json) -> bool:
    """Whether the outcome of a probe or hook follows from what the container runs."""
    process = container.process
    if process is None or process.unmodelled:
        return False
    if "exec" not in handler:
        return True
    return programs.is_modelled(tuple(handler["exec"].get("command") or ("",)))


def problem(pod: Pod, container: Container, handler: Json, network: Network) -> str | None:
    """What a probe or hook finds wrong now; None if nothing."""
    process = container.process
    assert process is not None
    now_ns = process.context.now_ns
    if "exec" in handler:
        return _executed(process, handler, now_ns)
    if "httpGet" in handler:
        return _requested(pod, container, process, handler["httpGet"], network)
    server = process.server
    if "tcpSocket" in handler:
        port = _number(container, handler["tcpSocket"]["port"])
        if server is not None and port in server.ports:
            return None
        return f"dial tcp {pod.ip}:{port}: connect: connection refused"
    if "grpc" in handler:
        stated = handler["grpc"]
        port = _number(container, stated["port"])
        if server is None:
            return f'timeout: failed to connect service "{pod.ip}:{port}" within 1s'
        return server.is_serving(port, stated.get("service") or "") or None
    return None


def _executed(process: Process, handler: Json, now_ns: int) -> str | None:
    words = [str(each) for each in handler["exec"].get("command") or ()]
    limit_ns = int(handler.get("timeoutSeconds") or 1) * SECOND_NS
    try:
        out, err, code = process.execute(words, b"", now_ns)
    except Unmodelled as error:
        if "that waits" in str(error):
            return f"command timed out: {words} timed out after {limit_ns // SECOND_NS}s"
        return None
    return None if code == 0 else (out + err).decode("utf-8", "replace")


def _requested(
    pod: Pod, container: Container, process: Process, stated: Json, network: Network
) -> str | None:
    port, host = _number(container, stated["port"]), stated.get("host") or pod.ip
    path, _, query = str(stated.get("path") or "/").partition("?")
    path = path if path.startswith("/") else f"/{path}"
    headers = {"User-Agent": _USER_AGENT}
    headers |= {each["name"]: each.get("value") or "" for each in stated.get("httpHeaders") or ()}
    client = f"{pod.node.ip if pod.node is not None else host}:40000"
    is_tls = stated.get("scheme") == "HTTPS"
    request = http.HttpRequest("GET", path, query, headers, b"", client, is_tls)
    own = host == pod.ip
    found = process.ask(port, request, process.context.now_ns) if own else None
    if found is None:
        found = network.asker(pod.uid)(host, port, request)
    shown = f"{'https' if is_tls else 'http'}://{host}:{port}{request.uri}"
    if found is None:
        return f'Get "{shown}": dial tcp {host}:{port}: connect: connection refused'
    if not found.code:
        return f'Get "{shown}": {found.body.decode()}'
    if 200 <= found.code < 400:
        return None
    return f"HTTP probe failed with statuscode: {found.code}"


def _number(container: Container, port: Any) -> int:
    if not isinstance(port, str):
        return int(port)
    for each in container.plan.stated.get("ports") or ():
        if each.get("name") == port:
            return int(each["containerPort"])
    return int(port) if port.isdigit() else 0
