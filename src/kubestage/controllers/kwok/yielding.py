"""Who plays pods and nodes: KWOK's stages where there are any, else the kubelet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.controllers.kwok import stage_types

if TYPE_CHECKING:
    from kubestage.controllers.settings import Settings
    from kubestage.store.store import Store


def settings_for(store: Store, settings: Settings) -> Settings:
    """The settings of a stage whose kubelet leaves to stages what they are for."""
    stages = store.read((stage_types.API_VERSION, stage_types.KIND)).values()
    played = {((stage.get("spec") or {}).get("resourceRef") or {}).get("kind") for stage in stages}
    kubelet = msgspec.structs.replace(
        settings.kubelet,
        pods_by_kwok=settings.kubelet.pods_by_kwok or "Pod" in played,
        nodes_by_kwok=settings.kubelet.nodes_by_kwok or "Node" in played,
    )
    return msgspec.structs.replace(settings, kubelet=kubelet)
