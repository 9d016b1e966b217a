"""Makes clusters: fresh ones, copies of those that are prepared, and the same behind HTTP."""

from __future__ import annotations

import pathlib
import tempfile
from typing import TYPE_CHECKING, Any

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.testing.clusters import opening, reading
from kubestage.testing.clusters import options as cluster_options
from kubestage.testing.clusters.cluster import Cluster
from kubestage.testing.clusters.copies import PackedStage
from kubestage.testing.clusters.keeping import ClusterRecording

with lazy.imports():
    from kubestage.testing.clusters import server

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.stage import Stage
    from kubestage.testing.clusters.options import ClusterOptions
    from kubestage.testing.clusters.server import ClusterServer


class ClusterFactory:
    """Makes clusters with the defaults that were configured; keyword arguments change them.

    A cluster of one set of options is prepared once, and every further one is a copy of it. With
    `records`, all that happens is recorded, so that a cluster can be kept. `on_new` is called with
    each cluster that is handed out.
    """

    def __init__(
        self,
        defaults: Mapping[str, Any] | None = None,
        *,
        records: bool = False,
        folder: str = "",
        on_new: Callable[[Cluster], None] | None = None,
    ) -> None:
        self._defaults = dict(defaults or {})
        self._records = records
        self._folder = folder
        self._on_new = on_new
        self._prepared: dict[str, tuple[Stage, PackedStage]] = {}
        self._servers: list[ClusterServer] = []

    def __call__(self, **options: Any) -> Cluster:
        """A cluster in this process: ``cluster_factory(nodes=5, seed=7)``."""
        return self.make(self.options(options, "cluster_factory", self._folder))

    def server(self, **options: Any) -> ClusterServer:
        """The same behind HTTP; it is served until the tests end, or `close` is called."""
        return self.make_server(self.options(options, "cluster_factory.server", self._folder))

    def serve(self, cluster: Cluster) -> ClusterServer:
        """A copy of a cluster behind HTTP."""
        return self._served(cluster.fork().stage, cluster.options)

    def options(self, values: Mapping[str, Any], where: str, folder: str) -> ClusterOptions:
        """Options on top of the defaults."""
        return cluster_options.make({**self._defaults, **values}, where, folder)

    def make(self, options: ClusterOptions) -> Cluster:
        """A cluster of these options."""
        return self._handed_out(Cluster(self._stage(options), options, self._recording()))

    def make_server(self, options: ClusterOptions) -> ClusterServer:
        """The same behind HTTP."""
        return self._served(self._stage(options), options)

    def copy(self, cluster: Cluster) -> Cluster:
        """A copy of a cluster, which is recorded if clusters are."""
        stage = cluster.fork().stage
        return self._handed_out(Cluster(stage, cluster.options, self._recording()))

    def close(self) -> None:
        """Stop all servers."""
        for each in self._servers:
            each.close()
        self._servers = []

    def _served(self, stage: Stage, options: ClusterOptions) -> ClusterServer:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kubestage-"))
        made = server.ClusterServer(stage, options, folder, self._recording())
        self._servers.append(made)
        if self._on_new is not None:
            self._on_new(made)
        return made

    def _stage(self, options: ClusterOptions) -> Stage:
        """A copy of the stage of these options; manifests are read once, unless files change."""
        key = _key(options)
        found = self._prepared.get(key)
        if found is None:
            found = self._prepared[key] = opening.open_stage(options), PackedStage()
        stage, packed = found
        try:
            return packed.copy_of(stage)
        except InputError:
            # A plugin that was defined in a function cannot be copied, but used.
            del self._prepared[key]
            return stage

    def _recording(self) -> ClusterRecording | None:
        return ClusterRecording() if self._records else None

    def _handed_out(self, cluster: Cluster) -> Cluster:
        if self._on_new is not None:
            self._on_new(cluster)
        return cluster


def _key(options: ClusterOptions) -> str:
    """What a prepared cluster depends on: options, classes, and the files that they name."""
    named = (*options.manifests, *options.plugins, *([options.config] if options.config else ()))
    files = [
        (str(file), file.stat().st_mtime_ns, file.stat().st_size)
        for each in named
        if reading.is_path(each)
        for file in _files(reading.path_of(str(each).partition(".py:")[0], options.folder))
    ]
    classes = [id(each) for each in options.plugins if isinstance(each, type)]
    return f"{options!r} {files} {classes}"


def _files(name: str) -> list[pathlib.Path]:
    path = pathlib.Path(name)
    if path.is_dir():
        return [each for each in sorted(path.rglob("*")) if each.is_file()]
    return [each for each in (path, path.with_suffix(".py")) if each.is_file()]
