"""What the options of a server mean together."""

from __future__ import annotations

import pathlib

import pytest

from kubestage.errors import InputError
from kubestage.server.assembly import AssemblyOptions
from kubestage.server.history import HistoryLimits
from kubestage.server.launch import resolution
from kubestage.server.launch.options import ServeOptions
from kubestage.server.pacing import Mode

MEBIBYTE = 1 << 20


def test_by_default_a_scenario_may_be_large_and_less_so_from_elsewhere() -> None:
    here = resolution.limits(ServeOptions())
    assert (here.body_bytes, here.scenario_body_bytes) == (3 * MEBIBYTE, 256 * MEBIBYTE)
    there = resolution.limits(ServeOptions(host="0.0.0.0"))
    assert (there.body_bytes, there.scenario_body_bytes) == (3 * MEBIBYTE, 32 * MEBIBYTE)
    chosen = resolution.limits(ServeOptions(host="0.0.0.0", max_request_bytes="64Mi"))
    sizes = chosen.body_bytes, chosen.scenario_body_bytes, chosen.own_body_bytes
    assert sizes == (64 * MEBIBYTE,) * 3


def test_the_api_alone_has_no_scheduler_no_controllers_and_real_time() -> None:
    options = resolution.resolve(ServeOptions(api_only=True))
    assert (options.scheduler, options.controllers, options.pace) == ("none", "none", "realtime")
    assert resolution.disabled_plugins(options) == ["ServiceAccount"]
    assert options.allow_privileged is False
    chosen = resolution.resolve(ServeOptions(api_only=True, allow_privileged=True))
    assert chosen.allow_privileged is True
    with pytest.raises(InputError, match="has no scheduler"):
        resolution.resolve(ServeOptions(api_only=True, scheduler="outside"))
    with pytest.raises(InputError, match="has no kubelets"):
        resolution.resolve(ServeOptions(api_only=True, simulate="kubelets"))


def test_kubelets_alone_leave_the_rest_to_programs_outside_in_real_time() -> None:
    options = resolution.resolve(ServeOptions(simulate="kubelets"))
    chosen = (options.scheduler, options.controllers, options.pace)
    assert chosen == ("outside", "outside", "realtime")
    jumping = resolution.resolve(ServeOptions(simulate="kubelets", pace="jump"))
    assert resolution.mode_and_speed(jumping) == (Mode.JUMP, 1.0)
    fast = resolution.resolve(ServeOptions(simulate="kubelets", speed=10))
    assert resolution.mode_and_speed(fast) == (Mode.SPEED, 10)


def test_without_controllers_there_are_no_kubelets_either() -> None:
    assert resolution.resolve(ServeOptions(no_controllers=True)).controllers == "none"
    for options in (
        ServeOptions(no_controllers=True, controllers="outside"),
        ServeOptions(no_controllers=True, simulate="kubelets"),
    ):
        with pytest.raises(InputError, match="has no kubelets either"):
            resolution.resolve(options)


def test_a_speed_is_a_mode_and_contradicts_a_clock_that_stands_still() -> None:
    assert resolution.mode_and_speed(ServeOptions()) == (Mode.JUMP, 1.0)
    assert resolution.mode_and_speed(ServeOptions(pace="still")) == (Mode.PAUSED, 1.0)
    assert resolution.mode_and_speed(ServeOptions(speed=60)) == (Mode.SPEED, 60)
    with pytest.raises(InputError, match="stand still"):
        resolution.resolve(ServeOptions(pace="still", speed=60))


def test_data_are_stored_unless_they_are_in_memory() -> None:
    assert resolution.data_directory(ServeOptions()) == pathlib.Path(".kubestage")
    assert resolution.data_directory(ServeOptions(in_memory=True)) is None
    with pytest.raises(InputError, match="keeps nothing"):
        resolution.resolve(ServeOptions(in_memory=True, data_dir="here"))


def test_flags_of_an_external_scheduler_need_one() -> None:
    options = ServeOptions(scheduler="outside", scheduler_grace="2s", scheduler_names=("mine",))
    found = resolution.external_scheduler(options)
    assert (found.grace_s, found.patience_s, found.names) == (2.0, 20.0, ("mine",))
    with pytest.raises(InputError, match="is for a scheduler outside"):
        resolution.resolve(ServeOptions(scheduler_timeout="1m"))


def test_durations_of_the_scheduler_are_measured_or_modelled() -> None:
    with pytest.raises(InputError, match="measured or modelled"):
        resolution.resolve(ServeOptions(timings=True, profile="kind"))


def test_how_much_is_remembered_is_a_size_and_a_time() -> None:
    chosen = resolution.history(ServeOptions(history_size="1Mi", history_time="90s"))
    assert (chosen.most_bytes, chosen.most_s) == (MEBIBYTE, 90)
    assert resolution.history(ServeOptions()) == HistoryLimits()
    with pytest.raises(InputError, match=r"--history-size.*is no size"):
        resolution.resolve(ServeOptions(history_size="much"))
    with pytest.raises(InputError, match=r"--history-time.*above 0"):
        resolution.resolve(ServeOptions(history_time="0s"))


def test_how_much_of_the_past_is_recorded_is_a_number_and_a_size() -> None:
    assert resolution.past(ServeOptions()) == AssemblyOptions().past
    chosen = resolution.past(ServeOptions(past_changes=10, past_memory="1Mi"))
    assert (chosen.most_changes, chosen.most_bytes) == (10, MEBIBYTE)
    assert resolution.past(ServeOptions(past_changes=0)).most_changes == 0
    assert resolution.past(ServeOptions(past_memory="0")).most_changes == 0
    with pytest.raises(InputError, match=r"--past-memory.*is no size"):
        resolution.resolve(ServeOptions(past_memory="much"))
