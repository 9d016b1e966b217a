"""The Go structs behind each version of the API: field names and types, as decoding needs them.

One line a field: its JSON name and its type. A type without a package belongs to the version
itself; ``inline`` names a struct whose fields count as the outer struct's own. Older versions are
written as what they lack or have beyond ``v1``.
"""

from __future__ import annotations

from typing import Final

Fields = dict[str, str]
Table = dict[str, Fields]


def _parse(text: str) -> Table:
    table: Table = {}
    fields: Fields = {}
    for line in text.strip().splitlines():
        if line.startswith(" "):
            name, _, expression = line.strip().partition(" ")
            fields[name] = expression
        else:
            fields = table[line] = {}
    return table


_COMPONENT: Final = _parse("""
LeaderElectionConfiguration
 leaderElect *bool
 leaseDuration meta/v1.Duration
 renewDeadline meta/v1.Duration
 retryPeriod meta/v1.Duration
 resourceLock string
 resourceName string
 resourceNamespace string
DebuggingConfiguration
 enableProfiling *bool
 enableContentionProfiling *bool
ClientConnectionConfiguration
 kubeconfig string
 acceptContentTypes string
 contentType string
 qps float32
 burst int32
""")

_V1: Final = _parse("""
KubeSchedulerConfiguration
 TypeMeta inline meta/v1.TypeMeta
 parallelism *int32
 leaderElection component/v1alpha1.LeaderElectionConfiguration
 clientConnection component/v1alpha1.ClientConnectionConfiguration
 DebuggingConfiguration inline component/v1alpha1.DebuggingConfiguration
 percentageOfNodesToScore *int32
 podInitialBackoffSeconds *int64
 podMaxBackoffSeconds *int64
 profiles []KubeSchedulerProfile
 extenders []Extender
 delayCacheUntilActive bool
KubeSchedulerProfile
 schedulerName *string
 percentageOfNodesToScore *int32
 plugins *Plugins
 pluginConfig []PluginConfig
Plugins
 preEnqueue PluginSet
 queueSort PluginSet
 preFilter PluginSet
 filter PluginSet
 postFilter PluginSet
 preScore PluginSet
 score PluginSet
 reserve PluginSet
 permit PluginSet
 preBind PluginSet
 bind PluginSet
 postBind PluginSet
 multiPoint PluginSet
 placementGenerate PluginSet
 placementScore PluginSet
PluginSet
 enabled []Plugin
 disabled []Plugin
Plugin
 name string
 weight *int32
PluginConfig
 name string
 args runtime.RawExtension
Extender
 urlPrefix string
 filterVerb string
 preemptVerb string
 prioritizeVerb string
 weight int64
 bindVerb string
 enableHTTPS bool
 tlsConfig *ExtenderTLSConfig
 httpTimeout meta/v1.Duration
 nodeCacheCapable bool
 managedResources []ExtenderManagedResource
 ignorable bool
ExtenderManagedResource
 name string
 ignoredByScheduler bool
ExtenderTLSConfig
 insecure bool
 serverName string
 certFile string
 keyFile string
 caFile string
 certData []byte
 keyData []byte
 caData []byte
DefaultPreemptionArgs
 TypeMeta inline meta/v1.TypeMeta
 minCandidateNodesPercentage *int32
 minCandidateNodesAbsolute *int32
DynamicResourcesArgs
 TypeMeta inline meta/v1.TypeMeta
 filterTimeout *meta/v1.Duration
 bindingTimeout *meta/v1.Duration
InterPodAffinityArgs
 TypeMeta inline meta/v1.TypeMeta
 hardPodAffinityWeight *int32
 ignorePreferredTermsOfExistingPods bool
NodeAffinityArgs
 TypeMeta inline meta/v1.TypeMeta
 addedAffinity *core/v1.NodeAffinity
NodeResourcesBalancedAllocationArgs
 TypeMeta inline meta/v1.TypeMeta
 resources []ResourceSpec
NodeResourcesFitArgs
 TypeMeta inline meta/v1.TypeMeta
 ignoredResources []string
 ignoredResourceGroups []string
 scoringStrategy *ScoringStrategy
PodTopologySpreadArgs
 TypeMeta inline meta/v1.TypeMeta
 defaultConstraints []core/v1.TopologySpreadConstraint
 defaultingType PodTopologySpreadConstraintsDefaulting
VolumeBindingArgs
 TypeMeta inline meta/v1.TypeMeta
 bindTimeoutSeconds *int64
 shape []UtilizationShapePoint
ScoringStrategy
 type ScoringStrategyType
 resources []ResourceSpec
 requestedToCapacityRatio *RequestedToCapacityRatioParam
RequestedToCapacityRatioParam
 shape []UtilizationShapePoint
ResourceSpec
 name string
 weight int64
UtilizationShapePoint
 utilization int32
 score int32
""")


def _fields(name: str, *, lacks: tuple[str, ...] = (), **added: str) -> Fields:
    shapes = {field: shape for field, shape in _V1[name].items() if field not in lacks}
    return {**shapes, **added}


_BIND_ADDRESSES: Final = {"healthzBindAddress": "*string", "metricsBindAddress": "*string"}
_V1BETA3: Final[Table] = {
    **{name: fields for name, fields in _V1.items() if name != "DynamicResourcesArgs"},
    "KubeSchedulerConfiguration": _fields(
        "KubeSchedulerConfiguration", lacks=("delayCacheUntilActive",)
    ),
    "KubeSchedulerProfile": _fields("KubeSchedulerProfile", lacks=("percentageOfNodesToScore",)),
    "Plugins": _fields("Plugins", lacks=("placementGenerate", "placementScore")),
}
_V1BETA2: Final[Table] = {
    **_V1BETA3,
    "KubeSchedulerConfiguration": {**_V1BETA3["KubeSchedulerConfiguration"], **_BIND_ADDRESSES},
}
_PLUGINS_OF_1_18: Final = {
    **dict.fromkeys(("queueSort", "preFilter", "filter", "preScore", "score"), "*PluginSet"),
    **dict.fromkeys(("reserve", "permit", "preBind", "bind", "postBind"), "*PluginSet"),
    "unreserve": "*PluginSet",
}
_OPTIONS_OF_1_18: Final = {
    **_BIND_ADDRESSES,
    "disablePreemption": "*bool",
    "bindTimeoutSeconds": "*int64",
}
_V1ALPHA2: Final[Table] = {
    **{name: _V1[name] for name in ("PluginSet", "Plugin", "PluginConfig")},
    "KubeSchedulerConfiguration": _fields(
        "KubeSchedulerConfiguration",
        lacks=("parallelism", "delayCacheUntilActive"),
        leaderElection="KubeSchedulerLeaderElectionConfiguration",
        extenders="[]runtime.RawExtension",
        **_OPTIONS_OF_1_18,
    ),
    "KubeSchedulerProfile": _fields("KubeSchedulerProfile", lacks=("percentageOfNodesToScore",)),
    "KubeSchedulerLeaderElectionConfiguration": {
        "LeaderElectionConfiguration": "inline component/v1alpha1.LeaderElectionConfiguration"
    },
    "Plugins": _PLUGINS_OF_1_18,
}
_V1ALPHA1: Final[Table] = {
    **_V1ALPHA2,
    **_parse("""
SchedulerAlgorithmSource
 policy *SchedulerPolicySource
 provider *string
SchedulerPolicySource
 file *SchedulerPolicyFileSource
 configMap *SchedulerPolicyConfigMapSource
SchedulerPolicyFileSource
 path string
SchedulerPolicyConfigMapSource
 namespace string
 name string
"""),
    "KubeSchedulerConfiguration": {
        **_fields(
            "KubeSchedulerConfiguration",
            lacks=("parallelism", "delayCacheUntilActive", "profiles", "extenders"),
            leaderElection="KubeSchedulerLeaderElectionConfiguration",
            **_OPTIONS_OF_1_18,
        ),
        "schedulerName": "*string",
        "algorithmSource": "SchedulerAlgorithmSource",
        "hardPodAffinitySymmetricWeight": "*int32",
        "plugins": "*Plugins",
        "pluginConfig": "[]PluginConfig",
    },
    "KubeSchedulerLeaderElectionConfiguration": {
        **_V1ALPHA2["KubeSchedulerLeaderElectionConfiguration"],
        "lockObjectNamespace": "string",
        "lockObjectName": "string",
    },
    "Plugins": {
        "postFilter" if point == "preScore" else point: shape
        for point, shape in _PLUGINS_OF_1_18.items()
    },
}
_POLICY: Final = _parse("""
Policy
 TypeMeta inline meta/v1.TypeMeta
 predicates []PredicatePolicy
 priorities []PriorityPolicy
 extenders []runtime.RawExtension
 hardPodAffinitySymmetricWeight int32
 alwaysCheckAllPredicates bool
PredicatePolicy
 name string
 argument *PredicateArgument
PriorityPolicy
 name string
 weight int64
 argument *PriorityArgument
PredicateArgument
 serviceAffinity *ServiceAffinity
 labelsPresence *LabelsPresence
PriorityArgument
 serviceAntiAffinity *ServiceAntiAffinity
 labelPreference *LabelPreference
 requestedToCapacityRatioArguments *RequestedToCapacityRatioArguments
ServiceAffinity
 labels []string
LabelsPresence
 labels []string
 presence bool
ServiceAntiAffinity
 label string
LabelPreference
 label string
 presence bool
RequestedToCapacityRatioArguments
 shape []UtilizationShapePoint
 resources []ResourceSpec
""") | {name: _V1[name] for name in ("UtilizationShapePoint", "ResourceSpec")}

TABLES: Final[dict[str, Table]] = {
    "component/v1alpha1": _COMPONENT,
    "config/v1": _V1,
    "config/v1beta3": _V1BETA3,
    "config/v1beta2": _V1BETA2,
    "config/v1alpha2": _V1ALPHA2,
    "config/v1alpha1": _V1ALPHA1,
    "policy/v1": _POLICY,
}
"""Structs by package and name."""
