"""Profiles as people write them, and what they are told when they err."""

from __future__ import annotations

import pytest

from kubestage.cluster import profile_files, profiles
from kubestage.errors import InputError


def test_a_text_changes_what_it_says_and_nothing_else() -> None:
    own = profile_files.load("extends: kind\nname: mine\napi:\n  create: 5ms\n")
    assert (own.name, own.api.create) == ("mine", "5ms")
    assert own.api.patch == profiles.KIND.api.patch
    assert own.kubelet == profiles.KIND.kubelet


def test_json_will_do_and_the_default_is_what_is_extended() -> None:
    own = profile_files.load('{"scheduler": {"client_qps": 500, "client_burst": 500}}')
    assert own.scheduler.client_qps == 500
    assert own.api == profiles.DEFAULT.api
    assert own.name == "default, changed"


@pytest.mark.parametrize("name", list(profiles.NAMED))
def test_every_profile_can_be_written_out_and_read_again(name: str) -> None:
    profile = profiles.named(name)
    assert profile_files.load(profile_files.text_of(profile)) == profile


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("api:\n  crate: 5ms\n", "own.yaml: api.crate: unknown key (did you mean 'create'?)"),
        ("apis: {}\n", "own.yaml: apis: unknown key (did you mean 'api'?)"),
        ("scheduler: {atempt: 1ms}\n", "scheduler.atempt: unknown key (did you mean 'attempt'?)"),
        ("extends: knd\n", "own.yaml: extends: there is no profile 'knd' (did you mean kind?"),
        ("extends: 3\n", "own.yaml: extends: 3 is not a name (there are instant, default"),
        ("api: {create: soon}\n", "own.yaml: api.create: 'soon' cannot be read"),
        ("kubelet: {launch_delay: soon}\n", "own.yaml: kubelet.launch_delay: 'soon' cannot be"),
        ("scheduler: {client_qps: -1}\n", "own.yaml: scheduler.client_qps: -1 is not a valid rate"),
        ("api: {cores: -1}\n", "own.yaml: api.cores: -1 is not a valid amount (write 0 or more)"),
        (
            "api: {resources: {pods: -1}}\n",
            "own.yaml: api.resources.pods: -1.0 is not a valid amount",
        ),
        ("api: {cores: many}\n", "own.yaml: api.cores: Expected `int`, got `str`"),
        ("api: 3\n", "own.yaml: api: Expected `object`, got `int`"),
        ("- 1\n", "own.yaml: this is not a profile (a profile is a mapping"),
        ("", "own.yaml: this is not a profile"),
        ("api: [\n", "own.yaml:2: not valid YAML"),
        ("api: {}\napi: {}\n", "own.yaml:2: "),
    ],
)
def test_what_is_wrong_is_told_with_its_path_and_the_likely_fix(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        profile_files.load(text, "own.yaml")
    assert words in str(caught.value)


def test_a_name_that_there_is_not_lists_those_that_there_are() -> None:
    with pytest.raises(InputError, match=r"did you mean gce-5000\? there are instant, default"):
        profiles.named("gce5000")
