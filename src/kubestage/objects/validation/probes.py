"""Probes and lifecycle hooks of a container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_LIFECYCLE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_HTTP_GET: Final = "core/v1.HTTPGetAction"

_WINDOWS_SIGNALS: Final = ("SIGKILL", "SIGTERM")
_LINUX_SIGNALS: Final = (
    "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL",
    "SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT",
    "SIGRTMAX", "SIGRTMAX-1", "SIGRTMAX-10", "SIGRTMAX-11", "SIGRTMAX-12", "SIGRTMAX-13",
    "SIGRTMAX-14", "SIGRTMAX-2", "SIGRTMAX-3", "SIGRTMAX-4", "SIGRTMAX-5", "SIGRTMAX-6",
    "SIGRTMAX-7", "SIGRTMAX-8", "SIGRTMAX-9", "SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+10",
    "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2",
    "SIGRTMIN+3", "SIGRTMIN+4", "SIGRTMIN+5", "SIGRTMIN+6", "SIGRTMIN+7", "SIGRTMIN+8",
    "SIGRTMIN+9", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP",
    "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU",
    "SIGXFSZ",
)  # fmt: skip


def validate_liveness_probe(probe: Json, path: str) -> list[FieldError]:
    """A probe that restarts the container."""
    errors = _validate_probe(probe, path)
    threshold = probe.get("successThreshold") or 0
    if threshold != 1:
        errors.append(field.invalid(f"{path}.successThreshold", threshold, "must be 1"))
    return errors


def validate_startup_probe(probe: Json, path: str) -> list[FieldError]:
    """A probe that delays the other probes; its rules are those of liveness."""
    return validate_liveness_probe(probe, path)


def validate_readiness_probe(probe: Json, path: str) -> list[FieldError]:
    """A probe that takes the pod out of its services."""
    errors = _validate_probe(probe, path)
    grace_period = probe.get("terminationGracePeriodSeconds")
    if grace_period is not None:
        detail = "must not be set for readinessProbes"
        errors.append(field.invalid(f"{path}.terminationGracePeriodSeconds", grace_period, detail))
    return errors


def _validate_probe(probe: Json, path: str) -> list[FieldError]:
    errors = _validate_handler(probe, _PROBE_HANDLERS, None, path)
    return errors + markers.check("core/v1.Probe", probe, path)


def _validate_handler(
    handler: Json, kinds: tuple[str, ...], grace_period: int | None, path: str
) -> list[FieldError]:
    """Exactly one way to act."""
    errors: list[FieldError] = []
    found = False
    for kind in kinds:
        action = handler.get(kind)
        if action is None:
            continue
        if found:
            detail = "may not specify more than 1 handler type"
            errors.append(field.forbidden(f"{path}.{kind}", detail))
            continue
        found = True
        errors += _validate_action(kind, action, grace_period, f"{path}.{kind}")
    if not found:
        errors.append(field.required(path, "must specify a handler type"))
    return errors


def _validate_action(
    kind: str, action: Json, grace_period: int | None, path: str
) -> list[FieldError]:
    if kind == "exec":
        return markers.check("core/v1.ExecAction", action, path)
    if kind == "httpGet":
        return _validate_http_get(action, path)
    if kind == "sleep":
        return _validate_sleep(action, grace_period, path)
    return _validate_port(action.get("port"), f"{path}.port")


def _validate_http_get(action: Json, path: str) -> list[FieldError]:
    errors = markers.check(_HTTP_GET, action, path, "path")
    errors += _validate_port(action.get("port"), f"{path}.port")
    errors += markers.check(_HTTP_GET, action, path, "scheme")
    for header in action.get("httpHeaders") or ():
        name = header.get("name") or ""
        errors += field.invalids(f"{path}.httpHeaders", name, names.is_http_header_name(name))
    return errors


def _validate_sleep(action: Json, grace_period: int | None, path: str) -> list[FieldError]:
    seconds = action.get("seconds") or 0
    if grace_period is None or 0 <= seconds <= grace_period:
        return []
    detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_period})"
    return [field.invalid(path, seconds, detail)]


def _validate_port(port: int | str | None, path: str) -> list[FieldError]:
    """A port by number or by name; an empty name is a name, a missing port is number 0."""
    if isinstance(port, str):
        return field.invalids(path, port, names.is_valid_port_name(port))
    port = port or 0
    return field.invalids(path, port, names.is_valid_port_num(port))


def validate_lifecycle(
    lifecycle: Json, grace_period: int | None, os_name: str | None, path: str
) -> list[FieldError]:
    """What is done after start and before stop, and with which signal a container is stopped."""
    errors: list[FieldError] = []
    for hook in ("postStart", "preStop"):
        if (handler := lifecycle.get(hook)) is not None:
            errors += _validate_handler(
                handler, _LIFECYCLE_HANDLERS, grace_period, f"{path}.{hook}"
            )
    if (signal := lifecycle.get("stopSignal")) is not None:
        errors += _validate_stop_signal(signal, os_name, f"{path}.stopSignal")
    return errors


def _validate_stop_signal(signal: str, os_name: str | None, path: str) -> list[FieldError]:
    if os_name is None:
        detail = "may not be set for containers with empty `spec.os.name`"
        return [field.forbidden(path, detail)]
    supported = {"linux": _LINUX_SIGNALS, "windows": _WINDOWS_SIGNALS}.get(os_name)
    if supported is not None and signal not in supported:
        return [field.not_supported(path, internal_json.text(signal), supported)]
    return []
