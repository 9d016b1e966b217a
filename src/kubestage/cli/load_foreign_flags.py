"""Flags as ClusterLoader2 writes them, and those that have no meaning for ``kubestage load``.

Go writes the value of a switch behind it. A value that says what is so here anyway is accepted; any
other of a flag without a meaning is refused, with what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.golang.booleans import FALSE, TRUE

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAVE_OUT: Final = "leave it out"
_PROMETHEUS: Final = (
    "no Prometheus is installed: a stage answers PromQL itself",
    "leave it out; on a real cluster name its Prometheus with --prometheus-url",
)
_ETCD: Final = ("etcd is not reached by its own port or over SSH", _LEAVE_OUT)
_MASTER: Final = (
    "the control plane is found by its nodes, and reached through the API server",
    "leave it out; SchedulingMetrics has the parameter masterName",
)
_LOG: Final = ("there is no log: progress and warnings are printed", _LEAVE_OUT)
_IMAGES: Final = ("images are not loaded on nodes beforehand", _LEAVE_OUT)
_EXEC_SERVICE: Final = ("there is no exec service: what needs it is skipped", _LEAVE_OUT)
_NAMESPACES: Final = "--overwrite-test-config Namespace."
_FLAGS: Final[dict[str, tuple[str, str]]] = {
    "--enable-prometheus-server": _PROMETHEUS,
    "--tear-down-prometheus-server": _PROMETHEUS,
    "--enable-pushgateway": _PROMETHEUS,
    "--enable-exec-service": _EXEC_SERVICE,
    "--masterip": _MASTER,
    "--mastername": _MASTER,
    "--master-internal-ip": _MASTER,
    "--master-endpoint": _MASTER,
    "--apiserver-pprof-by-client-enabled": ("profiles are requested if they answer", _LEAVE_OUT),
    "--kubelet-port": ("kubelets are reached through the API server", _LEAVE_OUT),
    "--kubemark-root-kubeconfig": ("a cluster has one kubeconfig", _LEAVE_OUT),
    "--provider-configs": ("a provider has no configuration", _LEAVE_OUT),
    "--skip-cluster-verification": (
        "the number of nodes is needed",
        "leave it out, and name the number with --nodes",
    ),
    "--heap-profile-interval": ("this program has no heap profiles", _LEAVE_OUT),
    "--port": ("this program serves no profiles", _LEAVE_OUT),
    "-v": _LOG,
    "--v": _LOG,
    "--vmodule": _LOG,
    "--add_dir_header": _LOG,
    "--alsologtostderr": _LOG,
    "--legacy_stderr_threshold_behavior": _LOG,
    "--logtostderr": _LOG,
    "--one_output": _LOG,
    "--skip_headers": _LOG,
    "--skip_log_headers": _LOG,
    "--stderrthreshold": _LOG,
    "--delete-stale-namespaces": (
        "the configuration decides",
        f"write {_NAMESPACES}DeleteStaleNamespaces=true",
    ),
    "--delete-automanaged-namespaces": (
        "the configuration decides",
        f"write {_NAMESPACES}DeleteAutomanagedNamespaces=false to keep them",
    ),
}
_PREFIXES: Final[dict[str, tuple[str, str]]] = {
    "--prometheus-": _PROMETHEUS,
    "--experimental-": _PROMETHEUS,
    "--etcd-": _ETCD,
    "--node-preload-": _IMAGES,
    "--exec-": _EXEC_SERVICE,
    "--log-": _LOG,
    "--log_": _LOG,
}
_OWN: Final = frozenset(("--prometheus-url",))
_SWITCHES: Final = frozenset(("--dry-run", "--run-from-cluster"))
# What a value would only confirm.
_AS_IT_IS: Final[dict[str, frozenset[str]]] = {
    "--apiserver-pprof-by-client-enabled": TRUE,
    "--delete-automanaged-namespaces": TRUE,
    "--delete-stale-namespaces": FALSE,
    "--enable-exec-service": FALSE,
    "--enable-prometheus-server": FALSE,
    "--enable-pushgateway": FALSE,
    "--heap-profile-interval": frozenset(("0", "0s")),
    "--skip-cluster-verification": FALSE,
}


def translated(arguments: Sequence[str]) -> list[str]:
    """Arguments without the values of switches, and without what is so anyway."""
    found: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            return [*found, *arguments[index:]]
        flag, equals, value = argument.partition("=")
        if equals and flag in _SWITCHES and value in TRUE | FALSE:
            if value in TRUE:
                found.append(flag)
        elif not (equals and value in _AS_IT_IS.get(flag, ())):
            found.append(argument)
    return found


def refuse(arguments: Sequence[str]) -> None:
    """Refuse the first such flag, with the reason and the fix."""
    for argument in arguments:
        if argument == "--":
            return
        flag = argument.partition("=")[0]
        found = None if flag in _OWN else _FLAGS.get(flag) or _by_prefix(flag)
        if found is not None:
            reason, fix = found
            raise InputError(f"has no meaning here: {reason}", path=flag, fix=fix)


def _by_prefix(flag: str) -> tuple[str, str] | None:
    return next((each for prefix, each in _PREFIXES.items() if flag.startswith(prefix)), None)
