"""What operators set with flags, given by option."""

from __future__ import annotations

import pytest

from kubestage.controllers.settings import Settings
from kubestage.errors import InputError
from kubestage.runs.inputs import setting_option


def applied(*texts: str) -> Settings:
    return setting_option.apply(Settings(), setting_option.split(texts))


def test_a_setting_of_an_autoscaler_goes_by_its_name() -> None:
    assert applied("hpa.sync-period=30s").hpa.sync_period_ns == 30_000_000_000
    assert applied("hpa.tolerance=0.2").hpa.tolerance == 0.2
    assert applied("vpa.min_replicas=1").vpa.min_replicas == 1
    assert applied("node-autoscaler.scale-down-enabled=false").node_autoscaler == (
        applied("node_autoscaler.scale_down_enabled=false").node_autoscaler
    )


def test_several_are_taken_together_and_the_last_word_counts() -> None:
    settings = applied("metrics.delay=4s", "metrics.resolution=10s", "metrics.delay=2s")
    assert (settings.metrics.delay_ns, settings.metrics.resolution_ns) == (2 * 10**9, 10 * 10**9)


def test_settings_of_controllers_need_no_prefix() -> None:
    assert applied("node-monitor-grace-period=10s").node_monitor_grace_period_ns == 10**10


def test_lists_are_written_with_commas() -> None:
    settings = applied("vpa.ignored-vpa-object-namespaces=a, b")
    assert settings.vpa.ignored_vpa_object_namespaces == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "problem", "fix"),
    [
        ("hpa.sync-period", '"hpa.sync-period" is no setting', "write NAME=VALUE, as in "),
        ("hpa.sync-perod=1s", 'unknown setting "hpa.sync-perod"', "did you mean hpa.sync-period?"),
        ("tolerance=1", 'unknown setting "tolerance"', "did you mean hpa.tolerance?"),
        ("nonsense=1", 'unknown setting "nonsense"', "docs/settings.md lists them"),
        ("hpa.sync-period=soon", 'invalid duration "soon"', "write it as in 30s"),
        ("hpa.sync-period=0s", "is shorter than a millisecond", "write it as in 15s"),
        ("node-monitor-period=1ns", "is shorter than a millisecond", "write it as in 15s"),
        ("node-autoscaler.max-nodes-total=-5", "is below zero", "leave it out"),
        ("metrics.fresh=-5s", "is below zero", "leave it out"),
        ("vpa.oom-bump-up-ratio=inf", "is not finite", "write a number"),
        ("provision-delay=soon", "'soon' cannot be read", "write 5s"),
        ("hpa.tolerance=much", '"much" is not a number', "write a number"),
        ("hpa.scale-to-zero=perhaps", '"perhaps" is not true or false', "write true or false"),
        ("node-autoscaler.expander=cheap", "'cheap' is no expander", "choose from "),
    ],
)
def test_what_is_wrong_is_told_with_the_fix(text: str, problem: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        applied(text)
    assert problem in caught.value.problem
    assert caught.value.fix is not None
    assert caught.value.fix.startswith(fix)
    assert caught.value.path is not None
    assert caught.value.path.startswith("--setting")


def test_what_is_below_zero_by_default_may_be_so() -> None:
    cutoff = applied("node-autoscaler.expendable-pods-priority-cutoff=-20").node_autoscaler
    assert cutoff.expendable_pods_priority_cutoff == -20


def test_all_settings_have_a_name_that_is_understood() -> None:
    known = list(setting_option.names(Settings()))
    assert {"hpa.tolerance", "kubelet.launch-delay", "metrics.resolution"} <= set(known)
    assert len(known) == len(set(known))
