"""What a load reports while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.runs.observer import Observer

if TYPE_CHECKING:
    from kubestage.clusterloader.config_loading import LoadedConfig
    from kubestage.clusterloader.run import LoadRun
    from kubestage.runs.load.limit_result import LimitPoint
    from kubestage.runs.load.remaining import RemainingObjects
    from kubestage.runs.load.targets import LoadTarget


class LoadObserver(Observer):
    """Receives what happens in a load; this one ignores it.

    The command line passes one that draws on stderr. Other programs derive from it.
    """

    def target_ready(self, target: LoadTarget) -> None:
        """The cluster can be loaded; tests follow."""

    def test_started(self, run: LoadRun, loaded: LoadedConfig, position: str) -> None:
        """A test starts; `position` is as in ``2 of 3`` if there are several."""

    def progressed(self) -> None:
        """Something may have changed; called often."""

    def test_ended(self) -> None:
        """The test is over."""

    def warning(self, text: str) -> None:
        """A failure that lasts, such as a watch that a real cluster refuses."""

    def interrupted(self) -> None:
        """The user requested a stop: the load cleans up. The next such request ends it at once."""

    def failed(self) -> None:
        """An error stopped a test on a real cluster: the load cleans up."""

    def objects_remain(self, objects: RemainingObjects) -> None:
        """A test on a real cluster ended before its clean-up did."""

    def point_decided(self, point: LimitPoint, path: str) -> None:
        """A search has decided about a load; `path` is what it varies."""


SILENT: Final = LoadObserver()
