"""From a profile to what a stage is made with: settings of controllers, options of the scheduler.

Whoever builds the stage (`Stage.add_scheduler`, `Stage.add_controllers`) passes them on; the
cluster itself is then a `StagedCluster` with the same profile.
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
    """The settings of the controllers, and the options of the scheduler, that a profile asks for.

    `settings` are a person's own; the profile replaces how long things take there.
    """
    own = settings or Settings()
    paced = msgspec.structs.replace(own, pacing=profile.controllers, kubelet=profile.kubelet)
    return paced, {"pacing": profile.scheduler}
