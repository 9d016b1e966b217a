"""Small valid pod specs to break one rule at a time, and a short way to read what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import pod_options, pod_spec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.validation.field import FieldError


def container(name: str = "c", **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "image": "img",
        "imagePullPolicy": "Always",
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    } | fields


def spec(**fields: Any) -> dict[str, Any]:
    """A valid spec with one container, and what `fields` change in it."""
    return {
        "containers": [container()],
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
        "terminationGracePeriodSeconds": 30,
        "securityContext": {},
    } | fields


def with_container(**fields: Any) -> dict[str, Any]:
    """A valid spec whose only container has `fields`."""
    return spec(containers=[container(**fields)])


def texts(errors: Iterable[FieldError]) -> list[str]:
    return [str(error) for error in errors]


def problems(
    given: dict[str, Any],
    meta: dict[str, Any] | None = None,
    options: pod_options.PodValidationOptions = pod_options.NEW_POD,
) -> list[str]:
    """What is wrong with a spec, in the words of the API."""
    return texts(pod_spec.validate_pod_spec(given, meta, "spec", options))
