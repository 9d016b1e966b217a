"""What a person should know about a recording that is not played exactly as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ADDED_AGAIN: Final = "added again"
BACK_IN_TIME: Final = "back in time"
FAILED: Final = "failed"
NOT_ADDED: Final = "not added"
NOT_THERE: Final = "not there"
PROVISIONED: Final = "provisioned"
REPLACED: Final = "replaced"
RESIZED: Final = "resized"
VICTIM: Final = "victim"
UNKNOWN: Final = "unknown "
"""Before the name of a kind."""
SCHEDULER: Final = "scheduler "
"""Before the name of a scheduler."""
WORKLOAD: Final = "workload "
"""Before the name of a kind."""

# Singular and plural of what was counted, and what was done about it.
_SENTENCES: Final = {
    ADDED_AGAIN: ("1 record adds", "{} records add", "what was there already: taken as an update"),
    REPLACED: (
        "1 object was", "{} objects were", "replaced unseen by another of the name: deleted first"
    ),
    NOT_ADDED: ("1 record updates", "{} records update", "what was never added: created then"),
    NOT_THERE: ("1 record deletes", "{} records delete", "what was not there: left out"),
    BACK_IN_TIME: (
        "1 record is", "{} records are", "earlier than the one before: played in the order written"
    ),
    VICTIM: (
        "1 pod was", "{} pods were", "preempted by the scheduler that was recorded: deleted then"
    ),
    FAILED: ("1 pod", "{} pods", "failed though meant to run on, as when evicted: deleted then"),
    RESIZED: ("1 pod was", "{} pods were", "resized in place: what was asked for at first counts"),
    PROVISIONED: (
        "1 volume was", "{} volumes were",
        "provisioned while it was recorded: left to the provisioner here",
    ),
}  # fmt: skip
_LISTS: Final = {
    SCHEDULER: "pods wait for schedulers for which the configuration must have a profile",
    WORKLOAD: "records left out, as the pods of these are recorded themselves",
    UNKNOWN: "records left out, as the kind is not known here",
}


def notes(counts: Mapping[str, int]) -> list[str]:
    """A sentence about each thing that was counted."""
    notes = [
        f"{one if counts[what] == 1 else many.format(counts[what])} {then}"
        for what, (one, many, then) in _SENTENCES.items()
        if counts.get(what)
    ]
    for prefix, sentence in _LISTS.items():
        found = {
            each.removeprefix(prefix): n for each, n in counts.items() if each.startswith(prefix)
        }
        if found:
            named = ", ".join(f"{name} ({number})" for name, number in sorted(found.items()))
            notes.append(f"{sentence}: {named}")
    return notes
