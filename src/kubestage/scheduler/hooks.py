"""What plugins are called with when nodes and pods come and go, whatever brought it about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView

METHODS: Final = ("on_node", "on_node_removed", "on_pod_bound", "on_pod_removed")


class Hooks:
    """The hooks of all plugins, by method, in the order of the profiles."""

    __slots__ = ("_methods",)

    def __init__(self) -> None:
        self._methods: dict[str, list[Callable[..., None]]] = {name: [] for name in METHODS}

    def add(self, plugins: Iterable[Any]) -> None:
        """Call the hooks of these plugins, too."""
        for plugin in plugins:
            for name, methods in self._methods.items():
                method = getattr(plugin, name, None)
                if method is not None:
                    methods.append(method)

    @property
    def are_used(self) -> bool:
        """Whether any plugin has a hook."""
        return any(self._methods.values())

    def node(self, view: NodeView) -> None:
        """A node has come, or has changed."""
        for call in self._methods["on_node"]:
            call(view)

    def node_removed(self, name: str) -> None:
        """A node is gone."""
        for call in self._methods["on_node_removed"]:
            call(name)

    def pod_bound(self, pod: PodView) -> None:
        """A pod is on its node in the cluster."""
        for call in self._methods["on_pod_bound"]:
            call(pod, pod.node_name)

    def pod_removed(self, pod: PodView) -> None:
        """A pod that was on a node is gone, or has ended."""
        for call in self._methods["on_pod_removed"]:
            call(pod, pod.node_name)
