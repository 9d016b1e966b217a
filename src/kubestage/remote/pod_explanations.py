"""Why a pod of a served cluster is where it is, and what would make it fit, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from kubestage.errors import InputError
from kubestage.remote.kubestage_server import KubestageServer

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.access import Access

_PATH: Final = "/kubestage/v1/explanations"
_PODS: Final = "/api/v1/pods?fieldSelector=metadata.name%3D"


class PodExplanations:
    """The explanations of one server."""

    def __init__(self, access: Access) -> None:
        self._server = KubestageServer(access, "explanations of pods")

    def get(self, pod: str) -> Json:
        """What the server knows of a pod, ``NAMESPACE/NAME``, or its name if it is the only one."""
        namespace, _, name = self._key(pod).partition("/")
        return self._get(namespace, name)

    def get_workload(self, kind: str, namespace: str, name: str) -> Json:
        """The same of a pod of a workload that waits, or of one more pod of it."""
        return self._get(namespace, name, f"?kind={quote(kind, safe='')}")

    def _get(self, namespace: str, name: str, query: str = "") -> Json:
        path = f"{_PATH}/{quote(namespace, safe='')}/{quote(name, safe='')}{query}"
        _, found = self._server.call("GET", path)
        if not isinstance(found, dict) or not {"pod", "attempts"} <= set(found):
            raise self._server.other()
        return found

    def _key(self, pod: str) -> str:
        if "/" in pod:
            return pod
        _, listed = self._server.call("GET", f"{_PODS}{quote(pod, safe='')}")
        items = listed.get("items") or [] if isinstance(listed, dict) else []
        spaces = sorted(each["metadata"]["namespace"] for each in items)
        if len(spaces) > 1:
            fix = f"write one of {', '.join(f'{each}/{pod}' for each in spaces)}"
            raise InputError(f'several pods are called "{pod}"', fix=fix)
        return f"{spaces[0] if spaces else 'default'}/{pod}"
