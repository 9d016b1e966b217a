"""The functions that templates of stages may call, besides those of Sprig."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang import times
from kubestage.golang.quote import quote
from kubestage.golang.template import Function, limits, sprig
from kubestage.golang.template.sprig import encodings
from kubestage.golang.template.values import ANY, BOOL, INT, STRING, Number
from kubestage.objects import yaml_text

if TYPE_CHECKING:
    from kubestage.controllers.kwok.addresses import Addresses


DEFAULT_NODE_PORT: Final = 10247
# The newest release whose behaviour this follows.
VERSION: Final = "v0.8.0"

NODE_CONDITIONS: Final = [
    {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "message": "kubelet is posting ready status",
    },
    {
        "type": "MemoryPressure",
        "status": "False",
        "reason": "KubeletHasSufficientMemory",
        "message": "kubelet has sufficient memory available",
    },
    {
        "type": "DiskPressure",
        "status": "False",
        "reason": "KubeletHasNoDiskPressure",
        "message": "kubelet has no disk pressure",
    },
    {
        "type": "PIDPressure",
        "status": "False",
        "reason": "KubeletHasSufficientPID",
        "message": "kubelet has sufficient PID available",
    },
    {
        "type": "NetworkUnavailable",
        "status": "False",
        "reason": "RouteCreated",
        "message": "RouteController created a route",
    },
]


class TemplateContext(msgspec.Struct, frozen=True):
    """What templates may ask about: the time, the node's agent, and addresses."""

    now_unix_ns: int
    addresses: Addresses
    start_unix_ns: int = 0
    node_name: str = ""
    node_port: int = DEFAULT_NODE_PORT
    version: str = VERSION


def json_quote(value: Any) -> str:
    """A value as a JSON string; what is no text is put in as the text of its JSON."""
    if isinstance(value, str) and not isinstance(value, Number):
        return encodings.to_json(value)
    return quote(encodings.to_json(value))


def yaml(value: Any, *indent: int) -> str:
    """A value as YAML, on lines of its own if it is to be indented."""
    text = yaml_text.dump(encodings.plain(value))
    if len(indent) == 1 and indent[0] > 0:
        limits.text(2 * indent[0] * (text.count("\n") + 1))
        text = f"\n{text}".replace("\n", "\n" + "  " * indent[0])
    return text


def functions(context: TemplateContext) -> dict[str, Function]:
    """The functions whose values depend on when and where they are called."""
    addresses = context.addresses
    now = times.rfc3339_nano(context.now_unix_ns)

    def pod_ips(node: str, host_network: bool, *_pod: str) -> list[str]:
        return addresses.for_pod(node, host_network)

    def pod_ip(node: str, host_network: bool, *_pod: str) -> str:
        return (addresses.for_pod(node, host_network) or [""])[0]

    return {
        "Now": Function(lambda: now),
        "now": Function(lambda: now),
        "StartTime": Function(lambda: times.rfc3339_nano(context.start_unix_ns)),
        "Version": Function(lambda: context.version),
        "NodeIP": Function(lambda: addresses.node_ip),
        "NodeName": Function(lambda: context.node_name),
        "NodePort": Function(lambda: context.node_port),
        "PodIP": Function(addresses.default_pod_ip),
        "NodeIPWith": Function(lambda node: (addresses.of_node(node) or [""])[0], (STRING,)),
        "NodeIPsWith": Function(addresses.of_node, (STRING,)),
        "PodIPWith": Function(pod_ip, _POD),
        "PodIPsWith": Function(pod_ips, _POD),
    }


def _elsewhere(*_arguments: Any) -> Any:
    raise ValueError("is not known without surroundings")


_POD: Final = (STRING, BOOL, STRING, STRING, STRING)
_DEPENDENT: Final = (
    "Now",
    "now",
    "StartTime",
    "Version",
    "NodeIP",
    "NodeName",
    "NodePort",
    "PodIP",
    "NodeIPWith",
    "NodeIPsWith",
    "PodIPWith",
    "PodIPsWith",
)
KNOWN: Final[dict[str, Function]] = {
    **sprig.FUNCTIONS,
    **dict.fromkeys(_DEPENDENT, Function(_elsewhere, (), ANY)),
    "Quote": Function(json_quote, (ANY,)),
    "YAML": Function(yaml, (ANY,), INT),
    "NodeConditions": Function(lambda: [dict(each) for each in NODE_CONDITIONS]),
}
