"""From a profile to the settings of a stage's controllers and the options of its scheduler.

The caller passes them to `Stage.add_scheduler` and `Stage.add_controllers`; the cluster itself is
then a `StagedCluster` with the same profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.controllers.settings import Settings

if TYPE_CHECKING:
    from kubestage.cluster.profile import Profile


def stage_settings(
    profile: Profile, settings: Settings | None = None
) -> tuple[Settings, dict[str, Any]]:
    """The settings of the controllers, and the options of the scheduler, of a profile.

    `settings` are the user's; the profile replaces the durations in them.
    """
    own = settings or Settings()
    paced = msgspec.structs.replace(own, pacing=profile.controllers, kubelet=profile.kubelet)
    return paced, {"pacing": profile.scheduler}
