"""Probes and lifecycle hooks of a container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_COUNTS: Final = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)
_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_LIFECYCLE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_SCHEMES: Final = ("HTTP", "HTTPS")

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


def validate_liveness_probe(probe: dict[str, Any], path: str) -> list[FieldError]:
    """A probe that restarts the container."""
    errors = _validate_probe(probe, path)
    threshold = probe.get("successThreshold") or 0
    if threshold != 1:
        errors.append(field.invalid(f"{path}.successThreshold", threshold, "must be 1"))
    return errors


def validate_startup_probe(probe: dict[str, Any], path: str) -> list[FieldError]:
    """A probe that holds the other probes back; its rules are those of liveness."""
    return validate_liveness_probe(probe, path)


def validate_readiness_probe(probe: dict[str, Any], path: str) -> list[FieldError]:
    """A probe that takes the pod out of its services."""
    errors = _validate_probe(probe, path)
    grace_period = probe.get("terminationGracePeriodSeconds")
    if grace_period is not None:
        detail = "must not be set for readinessProbes"
        errors.append(field.invalid(f"{path}.terminationGracePeriodSeconds", grace_period, detail))
    return errors


def _validate_probe(probe: dict[str, Any], path: str) -> list[FieldError]:
    errors = _validate_handler(probe, _PROBE_HANDLERS, None, path)
    for count in _COUNTS:
        value = probe.get(count) or 0
        if value < 0:
            errors.append(field.invalid(f"{path}.{count}", value, names.NOT_NEGATIVE))
    grace_period = probe.get("terminationGracePeriodSeconds")
    if grace_period is not None and grace_period <= 0:
        at = f"{path}.terminationGracePeriodSeconds"
        errors.append(field.invalid(at, grace_period, "must be greater than 0"))
    return errors


def _validate_handler(
    handler: dict[str, Any], kinds: tuple[str, ...], grace_period: int | None, path: str
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
    kind: str, action: dict[str, Any], grace_period: int | None, path: str
) -> list[FieldError]:
    if kind == "exec":
        return [] if action.get("command") else [field.required(f"{path}.command")]
    if kind == "httpGet":
        return _validate_http_get(action, path)
    if kind == "sleep":
        return _validate_sleep(action, grace_period, path)
    return _validate_port(action.get("port"), f"{path}.port")


def _validate_http_get(action: dict[str, Any], path: str) -> list[FieldError]:
    errors = []
    if not action.get("path"):
        errors.append(field.required(f"{path}.path"))
    errors += _validate_port(action.get("port"), f"{path}.port")
    scheme = action.get("scheme") or ""
    if scheme not in _SCHEMES:
        errors.append(field.not_supported(f"{path}.scheme", internal_json.text(scheme), _SCHEMES))
    for header in action.get("httpHeaders") or ():
        name = header.get("name") or ""
        errors += field.invalids(f"{path}.httpHeaders", name, names.is_http_header_name(name))
    return errors


def _validate_sleep(
    action: dict[str, Any], grace_period: int | None, path: str
) -> list[FieldError]:
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
    lifecycle: dict[str, Any], grace_period: int | None, os_name: str | None, path: str
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
