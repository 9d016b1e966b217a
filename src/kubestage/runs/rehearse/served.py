"""A copy of the cluster that `kubestage serve` serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.remote.kubestage_server import KubestageServer
from kubestage.runs import clock_server
from kubestage.runs.inputs import manifests, sources

if TYPE_CHECKING:
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.rehearse.options import ClusterOptions


def export(options: ClusterOptions) -> LoadedManifests:
    """All objects of a server that matter, as if a file had them."""
    access = clock_server.find(options.server, options.kubeconfig)
    _, found = KubestageServer(access, "export").call("GET", "/kubestage/v1/export")
    source = sources.Source(access.server, msgspec.json.encode(found))
    loaded = manifests.load_sources([source])
    for problem in loaded.problems:
        raise problem
    return loaded
