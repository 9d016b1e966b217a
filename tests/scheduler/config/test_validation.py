from __future__ import annotations

import pytest

from tests.scheduler.config.texts import refusal


def _plugin(name: str, args: str) -> str:
    return f"profiles: [{{pluginConfig: [{{name: {name}, args: {args}}}]}}]"


def test_all_errors_are_reported_at_once_and_one_that_repeats_is_said_once() -> None:
    error = refusal("""
        parallelism: 0
        podInitialBackoffSeconds: 0
        extenders:
        - {urlPrefix: a, prioritizeVerb: rank}
        - {urlPrefix: a, managedResources: [{name: cpu}, {name: cpu}]}
        """)
    assert error.stage == "validate"
    assert error.errors == (
        "parallelism: Invalid value: 0: should be an integer value greater than zero",
        "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
        "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
        (
            'extenders[1].managedResources[0].name: Invalid value: "cpu": '
            "is an invalid extended resource name"
        ),
        (
            'extenders[1].managedResources[1].name: Invalid value: "cpu": '
            "is an invalid extended resource name"
        ),
        (
            'extenders[1].managedResources[1].name: Invalid value: "cpu": '
            "duplicate extender managed resource name"
        ),
    )
    assert error.problem == f"[{', '.join(error.errors)}]"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "profiles: [{schedulerName: a}, {schedulerName: a}]",
            "profiles[1].schedulerName: Duplicate value: {}",
        ),
        (
            "profiles: [{pluginConfig: [{name: EBSLimits}]}]",
            ('profiles[0].pluginConfig[0]: Invalid value: "EBSLimits": was invalid in version "v1" '
            '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")'),
        ),
        (
            "profiles: [{pluginConfig: [{name: NodeResourcesFitArgs}]}]",
            "profiles[0].pluginConfig[0].args: Invalid value: null: has to match plugin args",
        ),
        (
            "profiles: [{pluginConfig: [{name: NodeResourcesFitArgs, args: {a: 1}}]}]",
            ("profiles[0].pluginConfig[0].args: Invalid value: "
            '{"ContentEncoding":"","ContentType":"application/json"}: has to match plugin args'),
        ),
        (
            "leaderElection: {retryPeriod: -1s}",
            'leaderElection.retryPeriod: Invalid value: "-1s": must be greater than zero',
        ),
        (
            "leaderElection: {leaderElect: false, resourceLock: endpoints}\nparallelism: -1",
            "parallelism: Invalid value: -1: should be an integer value greater than zero",
        ),
        (
            _plugin("DynamicResources", "{bindingTimeout: 500ms}"),
            ('profiles[0].pluginConfig[0].args.bindingTimeout: Invalid value: "500ms": '
            "must be at least 1 second"),
        ),
        (
            _plugin("VolumeBinding", "{shape: []}"),
            ("profiles[0].pluginConfig[0].args.shape: Invalid value: []: unexpected field `shape`, "
            "remove it or turn on the feature gate StorageCapacityScoring"),
        ),
        (
            _plugin("PodTopologySpread", "{defaultConstraints: [{maxSkew: 1, topologyKey: zone, "
                    "whenUnsatisfiable: ScheduleAnyway}]}"),
            ('profiles[0].pluginConfig[0].args.defaultingType: Invalid value: "System": '
            "when .defaultConstraints are not empty"),
        ),
    ],
)  # fmt: skip
def test_a_broken_rule_is_told_in_the_words_of_kube_scheduler(body: str, problem: str) -> None:
    assert refusal(body).problem == problem


def test_arguments_are_validated_though_their_plugin_is_disabled() -> None:
    error = refusal("""
        profiles:
        - plugins: {multiPoint: {disabled: [{name: InterPodAffinity}]}}
          pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]
        """)
    assert error.stage == "validate"


def test_queue_sort_must_be_the_same_with_the_same_arguments() -> None:
    error = refusal("""
        profiles:
        - schedulerName: a
          plugins: {queueSort: {enabled: [{name: Mine}], disabled: [{name: "*"}]}}
          pluginConfig: [{name: Mine, args: {order: 1}}]
        - schedulerName: b
          plugins: {queueSort: {enabled: [{name: Mine}], disabled: [{name: "*"}]}}
          pluginConfig: [{name: Mine, args: {order: 2}}]
        """)
    assert error.errors == (
        (
            "profiles[1].pluginConfig.args: Invalid value: "
            '{"ContentEncoding":"","ContentType":"application/json"}: '
            "queueSort must be the same for all profiles"
        ),
    )
