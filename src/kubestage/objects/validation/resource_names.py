"""Names of resources: what kind of thing each one is, and where it may be named."""

from __future__ import annotations

import functools
from typing import Final

from kubestage.objects import quantity
from kubestage.objects.validation import names

HUGE_PAGES_PREFIX: Final = "hugepages-"
POD_LEVEL: Final = ("cpu", HUGE_PAGES_PREFIX, "memory")
"""What a pod as a whole may ask for (any size of huge pages counts)."""

_REQUESTS_PREFIX: Final = "requests."
_QUOTA_HUGE_PAGES: Final = (HUGE_PAGES_PREFIX, f"{_REQUESTS_PREFIX}{HUGE_PAGES_PREFIX}")
_NATIVE_DOMAIN: Final = "kubernetes.io/"
_COMPUTE: Final = frozenset({"cpu", "memory", "ephemeral-storage"})
_COUNTED: Final = frozenset(
    {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)
_STANDARD: Final = (
    _COMPUTE
    | _COUNTED
    | {f"requests.{name}" for name in _COMPUTE}
    | {f"limits.{name}" for name in _COMPUTE}
    | {"storage", "requests.storage"}
)


def is_huge_page(name: str) -> bool:
    """Huge pages of some size."""
    return name.startswith(HUGE_PAGES_PREFIX)


def is_standard_for_quota(name: str) -> bool:
    """A resource without a domain that a quota may limit."""
    return (name in _STANDARD and name != "storage") or name.startswith(_QUOTA_HUGE_PAGES)


def is_native(name: str) -> bool:
    """A resource that Kubernetes itself defines."""
    return "/" not in name or _NATIVE_DOMAIN in name


@functools.lru_cache(4096)
def is_extended(name: str) -> bool:
    """A resource that a device plugin or an administrator defines."""
    if is_native(name) or name.startswith(_REQUESTS_PREFIX):
        return False
    return not names.is_qualified_name(_REQUESTS_PREFIX + name)


def is_overcommit_allowed(name: str) -> bool:
    """Whether the limit may be above the request."""
    return is_native(name) and not is_huge_page(name)


def is_integer(name: str) -> bool:
    """Whether only whole amounts make sense."""
    return name in _COUNTED or is_extended(name)


def is_supported_at_pod_level(name: str) -> bool:
    """Whether a pod as a whole may ask for it."""
    return name in ("cpu", "memory") or is_huge_page(name)


@functools.lru_cache(4096)
def resource_problems(name: str) -> names.Problems:
    """Any resource."""
    problems = names.is_qualified_name(name)
    if problems or "/" in name:
        return problems
    if name in _STANDARD or name.startswith(_QUOTA_HUGE_PAGES):
        return ()
    return ("must be a standard resource type or fully qualified",)


@functools.lru_cache(4096)
def container_resource_problems(name: str) -> names.Problems:
    """A resource that a container may use."""
    problems = resource_problems(name)
    if "/" not in name:
        if name not in _COMPUTE and not is_huge_page(name):
            return (*problems, "must be a standard resource for containers")
    elif not is_native(name) and not is_extended(name):
        return (*problems, "doesn't follow extended resource name standard")
    return problems


@functools.lru_cache(4096)
def is_huge_page_multiple(name: str, amount: quantity.Quantity) -> bool:
    """Whether an amount of huge pages is a whole number of pages."""
    try:
        page = quantity.parse(name.removeprefix(HUGE_PAGES_PREFIX))
    except quantity.QuantityError:
        return False
    if page.sign <= 0 or page.milli_value % 1000:
        return False
    return amount.value % page.value == 0
