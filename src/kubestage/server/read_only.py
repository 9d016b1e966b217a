"""What may be requested of a cluster that cannot be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.server.request import Request

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Questions that are asked by creating something, and what concerns other clusters.
_QUESTIONS: Final = (
    "/apis/authorization.k8s.io/",
    "/apis/authentication.k8s.io/",
    "/kubestage/v1/clusters",
)


def is_write(request: Request) -> bool:
    """Whether a request would change the cluster."""
    return request.method not in _READING and not request.path.startswith(_QUESTIONS)
