from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.scheduler import config
from tests.scheduler.config.texts import GROUP, refusal, text


def _refused(source: str) -> config.ConfigError:
    with pytest.raises(config.ConfigError) as caught:
        config.load(source, "scheduler.yaml")
    return caught.value


def test_json_is_read_as_well_as_yaml() -> None:
    source = f'{{"apiVersion": "{GROUP}/v1", "kind": "KubeSchedulerConfiguration"}}'
    assert config.load(source) == config.load(text()) == config.default()


def test_a_refusal_is_an_input_error_that_names_the_file() -> None:
    error = _refused(text("profils: []\n"))
    assert isinstance(error, InputError)
    assert str(error) == (
        'scheduler.yaml: strict decoding error: unknown field "profils" (did you mean profiles?)'
    )


def test_every_unknown_field_is_named_in_the_order_of_keys() -> None:
    error = refusal("""
        zebra: 1
        profiles:
        - {schedulerName: a, plugin: {}}
        apple: 2
        """)
    assert error.errors == (
        'unknown field "apple"',
        'unknown field "profiles[0].plugin"',
        'unknown field "zebra"',
    )
    assert error.fix == "did you mean plugins?"


def test_unknown_plugin_arguments_are_named_with_their_place() -> None:
    error = refusal("""
        profiles:
        - pluginConfig:
          - name: NodeResourcesFit
          - name: InterPodAffinity
            args: {hardPodAfinityWeight: 2}
        """)
    assert error.problem == (
        "strict decoding error: decoding .profiles[0].pluginConfig[1]: strict decoding error: "
        "decoding args for plugin InterPodAffinity: strict decoding error: "
        'unknown field "hardPodAfinityWeight"'
    )
    assert error.fix == "did you mean hardPodAffinityWeight?"


def test_a_key_set_twice_in_yaml_is_refused_with_its_line() -> None:
    error = refusal("parallelism: 1\nparallelism: 2\n")
    assert error.problem == (
        "strict decoding error: yaml: unmarshal errors:\n"
        '  line 4: key "parallelism" already set in map'
    )


def test_a_key_set_twice_in_json_is_refused_with_its_path() -> None:
    error = _refused(
        f'{{"apiVersion": "{GROUP}/v1", "kind": "KubeSchedulerConfiguration",'
        '"profiles": [{"schedulerName": "a", "schedulerName": "b"}]}'
    )
    assert error.problem == 'strict decoding error: duplicate field "profiles[0].schedulerName"'


@pytest.mark.parametrize(
    ("source", "problem", "line"),
    [
        ("a: b: c\n", "yaml: mapping values are not allowed in this context", 1),
        ("a:\n  - b\n c: d\n", "yaml: line 2: did not find expected key", 3),
        ("a: 1\nb: [\n", "yaml: line 2: did not find expected node content", 3),
    ],
)
def test_broken_yaml_is_told_in_the_words_of_kube_scheduler(
    source: str, problem: str, line: int
) -> None:
    error = _refused(source)
    assert (error.stage, error.problem, error.line) == ("decode", problem, line)
    assert error.fix


def test_broken_json_is_told_in_the_words_of_kube_scheduler() -> None:
    problem = "couldn't get version/kind; json parse error: unexpected end of JSON input"
    assert _refused('{"apiVersion": "v1"').problem == problem


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "profiles:\n- plugins: {score: {enabled: [{name: A, weight: x}]}}\n",
            (
                "json: cannot unmarshal string into Go struct field "
                "Plugin.profiles.plugins.score.enabled.weight of type int32"
            ),
        ),
        (
            "enableProfiling: 1\n",
            (
                "json: cannot unmarshal number into Go struct field "
                "KubeSchedulerConfiguration.DebuggingConfiguration.enableProfiling of type bool"
            ),
        ),
        (
            "parallelism: 3000000000\n",
            (
                "json: cannot unmarshal number 3000000000 into Go struct field "
                "KubeSchedulerConfiguration.parallelism of type int32"
            ),
        ),
        (
            "leaderElection: {leaseDuration: 15}\n",
            "json: cannot unmarshal number into Go value of type string",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_told_with_its_field(body: str, problem: str) -> None:
    assert refusal(body).problem == problem


def test_arguments_of_another_plugin_are_refused() -> None:
    error = refusal(f"""
        profiles:
        - pluginConfig:
          - name: NodeResourcesFit
            args: {{apiVersion: {GROUP}/v1, kind: VolumeBindingArgs}}
        """)
    assert error.problem == (
        "decoding .profiles[0].pluginConfig[0]: args for plugin NodeResourcesFit were not of type "
        f"NodeResourcesFitArgs.{GROUP}, got VolumeBindingArgs.{GROUP}"
    )


def test_a_null_is_as_good_as_nothing() -> None:
    source = text("""
        parallelism: null
        leaderElection: null
        profiles:
        - schedulerName: null
          plugins: null
          pluginConfig:
          - {name: NodeResourcesFit, args: null}
        """)
    assert config.load(source).parallelism == 16
    assert config.load(source).profiles[0].scheduler_name == "default-scheduler"
