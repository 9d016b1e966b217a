"""A stage that is made from a profile keeps its pace."""

from __future__ import annotations

from kubestage.cluster import profiles, staging
from kubestage.controllers.settings import Settings


def test_a_profile_says_how_controllers_kubelets_and_the_scheduler_are_paced() -> None:
    settings, options = staging.stage_settings(profiles.GCE_5000)
    assert settings.pacing is profiles.GCE_5000.controllers
    assert settings.kubelet is profiles.GCE_5000.kubelet
    assert options == {"pacing": profiles.GCE_5000.scheduler}


def test_other_settings_stay_as_they_are() -> None:
    own = Settings(event_ttl_ns=7)
    settings, _ = staging.stage_settings(profiles.KIND, own)
    assert settings.event_ttl_ns == 7
    instant, options = staging.stage_settings(profiles.named("instant"))
    assert instant == Settings()
    assert options["pacing"].is_instant
