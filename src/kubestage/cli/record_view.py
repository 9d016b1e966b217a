"""How far a recording is, on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kubestage.cli.status_line import FollowingObserver

if TYPE_CHECKING:
    from kubestage.runs.recording.result import RecordStatus


class RecordObserver(FollowingObserver):
    """Shows a recording while it grows."""

    FINISHING: ClassVar[str] = "Ctrl-C: the recording is completed. Press it again to exit at once."
    NAME: ClassVar[str] = "recording, "

    def on_recording(self, status: RecordStatus) -> None:
        """Show it."""
        self.show(status)
