"""Tables of custom resources, whose definition states their columns.

Our own kinds and the vertical pod autoscaler are described in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import formatting, json_encoding
from kubestage.objects import jsonpath
from kubestage.objects.tables import cells
from kubestage.objects.tables.columns import AGE_DESCRIPTION, NAME, Column

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object

Definition = dict[str, Any]


def _column(name: str, value_type: str, path: str, priority: int = 0) -> Definition:
    return {"name": name, "type": value_type, "jsonPath": path, "priority": priority}


_CREATED: Final = ".metadata.creationTimestamp"
_AGE: Final = _column("Age", "date", _CREATED)
_DEFAULT: Final = [{**_AGE, "description": AGE_DESCRIPTION}]
_READY: Final = _column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status')
_TARGET: Final = ".status.recommendation.containerRecommendations[0].target"

OWN: Final[dict[tuple[str, str], list[Definition]]] = {
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"): [
        _column("Mode", "string", ".spec.updatePolicy.updateMode"),
        _column("CPU", "string", f"{_TARGET}.cpu"),
        _column("Mem", "string", f"{_TARGET}.memory"),
        _column(
            "Provided", "string", ".status.conditions[?(@.type=='RecommendationProvided')].status"
        ),
        _AGE,
    ],
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint"): _DEFAULT,
    ("simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1", "Scenario"): [
        _column("Phase", "string", ".status.phase"),
        _column("Step", "integer", ".status.stepStatus.step"),
        _column("Scheduled", "integer", ".status.pods.scheduled"),
        _column("Pending", "integer", ".status.pods.pending"),
        _column("Preempted", "integer", ".status.pods.preempted"),
        _AGE,
        _column("Step Phase", "string", ".status.stepStatus.phase", 1),
        _column("Scheduler", "string", ".status.schedulerStatus", 1),
        _column("Message", "string", ".status.message", 1),
    ],
    ("kubestage.dev/v1alpha1", "Traffic"): [
        _column("Kind", "string", ".spec.target.kind"),
        _column("Target", "string", ".spec.target.name"),
        _column("Replicas", "integer", ".status.replicas.active"),
        _column("Requests", "integer", ".status.requests.arrived"),
        _column("Failed", "integer", ".status.requests.failed"),
        _AGE,
        _column("Completed", "integer", ".status.requests.completed", 1),
        _column("Discipline", "string", ".spec.service.discipline", 1),
    ],
    ("kubestage.dev/v1alpha1", "NodeGroup"): [
        _column("Min", "integer", ".spec.minSize"),
        _column("Max", "integer", ".spec.maxSize"),
        _column("Target", "integer", ".status.targetSize"),
        _column("Nodes", "integer", ".status.size"),
        _column("Ready", "integer", ".status.readyNodes"),
        _AGE,
        _column("Provisioning", "integer", ".status.provisioning", 1),
        _column("Price", "number", ".spec.price", 1),
    ],
    ("karpenter.k8s.aws/v1", "EC2NodeClass"): [
        _READY,
        _AGE,
        _column("Role", "string", ".spec.role", 1),
    ],
    ("karpenter.sh/v1", "NodeClaim"): [
        _column("Type", "string", r".metadata.labels.node\.kubernetes\.io/instance-type"),
        _column("Capacity", "string", r".metadata.labels.karpenter\.sh/capacity-type"),
        _column("Zone", "string", r".metadata.labels.topology\.kubernetes\.io/zone"),
        _column("Node", "string", ".status.nodeName"),
        _READY,
        _AGE,
        _column("ImageID", "string", ".status.imageID", 1),
        _column("ID", "string", ".status.providerID", 1),
        _column("NodePool", "string", r".metadata.labels.karpenter\.sh/nodepool", 1),
        _column("NodeClass", "string", ".spec.nodeClassRef.name", 1),
        _column("Drifted", "string", '.status.conditions[?(@.type=="Drifted")].status', 1),
    ],
    ("karpenter.sh/v1", "NodePool"): [
        _column("NodeClass", "string", ".spec.template.spec.nodeClassRef.name"),
        _column("Nodes", "string", ".status.nodes"),
        _READY,
        _AGE,
        _column("Weight", "integer", ".spec.weight", 1),
        _column("CPU", "string", ".status.resources.cpu", 1),
        _column("Memory", "string", ".status.resources.memory", 1),
    ],
    ("karpenter.sh/v1alpha1", "NodeOverlay"): [
        _READY,
        _AGE,
        _column("Weight", "integer", ".spec.weight", 1),
    ],
    ("kubestage.dev/v1alpha1", "StageNodeClass"): [
        _column("Catalog", "string", ".spec.catalog"),
        _READY,
        _AGE,
        _column("Registration", "string", ".spec.registrationDelay", 1),
        _column("Initialization", "string", ".spec.initializationDelay", 1),
    ],
    ("kubestage.dev/v1alpha1", "PriceCatalog"): [
        _column("Currency", "string", ".spec.currency"),
        _AGE,
    ],
}


def definitions(version: Object | None) -> list[Definition]:
    """The columns that a version of a CustomResourceDefinition defines, or the age alone."""
    return cells.items(version or {}, "additionalPrinterColumns") or _DEFAULT


def columns(defined: list[Definition]) -> tuple[Column, ...]:
    """The name, and one column for each that is defined."""
    return (NAME, *map(_described, defined))


def _described(definition: Definition) -> Column:
    path = cells.text(definition, "jsonPath")
    return Column(
        cells.text(definition, "name"),
        cells.text(definition, "type"),
        cells.text(definition, "format"),
        cells.text(definition, "description")
        or f"Custom resource definition column (in JSONPath format): {path}",
        cells.number(definition, "priority"),
    )


def row(defined: list[Definition], obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a custom resource; what cannot be found or does not fit is left empty."""
    return [cells.name(obj), *(_cell(definition, obj, now_ns) for definition in defined)]


def _cell(definition: Definition, obj: Object, now_ns: int) -> Cell:
    try:
        template = jsonpath.parse(f"{{{cells.text(definition, 'jsonPath')}}}")
        found = jsonpath.find(template, obj)
    except jsonpath.JSONPathError:
        return None
    if not found or not found[0]:
        return None
    return _fitting(cells.text(definition, "type"), found[0][0], now_ns)


def _fitting(value_type: str, value: Any, now_ns: int) -> Cell:
    if value_type == "string":
        return _printed(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value_type == "integer" and is_number:
        return int(value)
    if value_type == "number" and is_number:
        return float(value)
    if value_type == "boolean" and isinstance(value, bool):
        return value
    if value_type == "date" and isinstance(value, str):
        try:
            return cells.since(value, now_ns)
        except ValueError:
            return "<invalid>"
    return None


def _printed(value: Any) -> str:
    if value is None:
        return "<no value>"
    if isinstance(value, (dict, list)):
        return json_encoding.encode(value).decode()
    return formatting.show(value)
