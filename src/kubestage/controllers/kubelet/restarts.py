"""Whether a container that ended starts again, and how long it is held back."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.units import SECOND_NS

FIRST_BACKOFF_NS: Final = 10 * SECOND_NS
LAST_BACKOFF_NS: Final = 300 * SECOND_NS
FORGIVEN_AFTER_NS: Final = 600 * SECOND_NS

RESTART: Final = "Restart"
RESTART_ALL: Final = "RestartAllContainers"


class RestartPolicy(msgspec.Struct, frozen=True):
    """The policy that holds for one container, and its rules for certain exit codes."""

    policy: str
    rules: tuple[tuple[str, bool, frozenset[int]], ...] = ()

    def action(self, exit_code: int) -> str:
        """The action of the first rule that matches an exit code, if any."""
        for action, among, codes in self.rules:
            if (exit_code in codes) == among:
                return action
        return ""

    def restarts(self, exit_code: int) -> bool:
        """Whether a container that ended so starts again."""
        if self.rules and self.action(exit_code) in (RESTART, RESTART_ALL):
            return True
        if self.policy == "OnFailure":
            return exit_code != 0
        return self.policy != "Never"


def policy_of(container: dict[str, Any], pod_policy: str, *, is_init: bool) -> RestartPolicy:
    """What holds for a container: its own policy, or that of its pod.

    An init container runs until it has succeeded, so ``Always`` means ``OnFailure`` to it unless
    it is a sidecar.
    """
    stated = container.get("restartPolicy")
    policy = stated or pod_policy
    if is_init and stated is None and policy == "Always":
        policy = "OnFailure"
    rules = tuple(
        (
            rule.get("action") or "",
            rule["exitCodes"].get("operator") == "In",
            frozenset(rule["exitCodes"].get("values") or ()),
        )
        for rule in container.get("restartPolicyRules") or ()
        if rule.get("exitCodes")
    )
    return RestartPolicy(policy, rules if stated else ())


def next_backoff(backoff_ns: int, since_ns: int, finished_ns: int) -> int:
    """How long a container is held back at its next end; one that ran for long starts afresh."""
    if not backoff_ns or finished_ns - since_ns > FORGIVEN_AFTER_NS:
        return FIRST_BACKOFF_NS
    return min(backoff_ns * 2, LAST_BACKOFF_NS)
