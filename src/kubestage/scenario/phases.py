"""The values in a Scenario's status; the spelling is the document's."""

from __future__ import annotations

from typing import Final

PENDING: Final = "Pending"
RUNNING: Final = "Running"
PAUSED: Final = "Paused"
SUCCEEDED: Final = "Succeeded"
FAILED: Final = "Failed"
UNKNOWN: Final = "Unknown"
ENDED: Final = (SUCCEEDED, FAILED)

OPERATING_EVENTS: Final = "OperatingEvents"
OPERATING_EVENTS_FINISHED: Final = "OperatingEventsFinished"
SCHEDULING: Final = "Scheduling"
SCHEDULING_FINISHED: Final = "SchedulingFinished"
STEP_FINISHED: Final = "Finished"

SCHEDULER_WILL_RUN: Final = "WillRun"
SCHEDULER_RUNNING: Final = "Running"
SCHEDULER_WILL_STOP: Final = "WillStop"
SCHEDULER_STOPPED: Final = "Stoped"
