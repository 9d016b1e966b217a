"""Records a live cluster: its state, every change since, and what its pods use.

`recorder` runs it, `kind_watch` follows one kind, `acceptance` decides what of an object is kept,
`usage_polls` samples usage, `snapshot` writes the manifests beside the changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.record_options import RecordOptions
    from kubestage.runs.recording.recorder import Recorder, record
    from kubestage.runs.recording.result import RecordResult, RecordStatus

__all__ = ["RecordOptions", "RecordResult", "RecordStatus", "Recorder", "record"]

__getattr__ = lazy.exports(__name__)
