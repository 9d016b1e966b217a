"""The server of each kubelet, on port 10250: who runs the cluster says what it answers.

It speaks TLS and knows no anonymous clients. Where tokens are not known, all are refused.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Final

from kubestage.programs import http

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.programs.http import HttpAnswer, HttpRequest
    from kubestage.store.store import Store

    Answer = Callable[[str, HttpRequest], HttpAnswer]

PORT: Final = 10250
UNAUTHORIZED: Final = http.text("Unauthorized", 401)

_servers: weakref.WeakKeyDictionary[Store, Answer] = weakref.WeakKeyDictionary()


def provide(store: Store, answer: Answer) -> None:
    """Have the kubelets of a cluster answer; each is named by its node."""
    _servers[store] = answer


def ask(store: Store, node: str, request: HttpRequest) -> HttpAnswer:
    """What the kubelet of a node answers."""
    answer = _servers.get(store)
    return UNAUTHORIZED if answer is None else answer(node, request)
