"""Traffic objects as short as a test wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.objects.validation import rules
from kubestage.traffic import spec
from kubestage.traffic.feed import Feed

if TYPE_CHECKING:
    import numpy.typing as npt

    from kubestage.aliases import Json


SECOND = 1_000_000_000


def traffic(pattern: Json, **more: Any) -> Json:
    """A Traffic to a Deployment; `more` are further fields of its spec."""
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "load", "namespace": "default", "uid": "u", "resourceVersion": "1"},
        "spec": {"target": {"kind": "Deployment", "name": "web"}, "pattern": pattern, **more},
    }


def feed(pattern: Json, *, seed: int = 7, begin_ns: int = 0, **more: Any) -> Feed:
    """The requests of a Traffic that is sound."""
    made = traffic(pattern, **more)
    assert rules.validate_create(made) == []
    return Feed(spec.read(made), seed, "default/load", begin_ns)


def per_second(times: npt.NDArray[np.int64], seconds: int) -> list[int]:
    """How many of the times are in each second."""
    return [int(each) for each in np.bincount(times // SECOND, minlength=seconds)]


def counts(pattern: Json, seconds: int, **more: Any) -> list[int]:
    """How many requests come in each of the first so many seconds."""
    return per_second(feed(pattern, **more).arrivals(seconds * SECOND), seconds)
