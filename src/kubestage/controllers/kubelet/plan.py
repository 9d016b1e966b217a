"""What the kubelet makes of a pod's template, worked out once for all pods that share it."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.kubelet import (
    allocation,
    image_names,
    probes,
    programs,
    references,
    restarts,
    sub_paths,
    usage,
)
from kubestage.controllers.kubelet import annotations as notes
from kubestage.controllers.kubelet.settings import FOR_EVER
from kubestage.objects import distributions
from kubestage.objects.views import plan as views
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.allocation import Allocation, PodAllocation
    from kubestage.controllers.kubelet.probes import Probe
    from kubestage.controllers.kubelet.references import Reference
    from kubestage.controllers.kubelet.restarts import RestartPolicy
    from kubestage.controllers.kubelet.settings import KubeletSettings
    from kubestage.controllers.kubelet.usage import MemoryGrowth
    from kubestage.objects.distributions import Distribution


_PARTS: Final = (
    "containers", "initContainers", "restartPolicy", "terminationGracePeriodSeconds",
    "activeDeadlineSeconds", "readinessGates", "hostNetwork", "overhead", "resources",
    "nodeSelector", "affinity", "tolerations", "os", "securityContext",
)  # fmt: skip
_PRESENT: Final = "already present on machine and can be accessed by the pod"
_MAX_PLANS: Final = 4096
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


class ContainerPlan(msgspec.Struct, frozen=True, eq=False):
    """One container of a template. `waiting` is its status before anything happened.

    `words` are those of the program that it runs if that may be modelled; `stated` is the container
    as the template has it.
    """

    name: str
    path: str
    image: str
    requested_image: str
    present_text: str
    pull_policy: str
    image_size: int | None
    pull_error: str
    name_error: str
    references: tuple[Reference, ...]
    sub_paths: tuple[str, ...]
    is_init: bool
    is_sidecar: bool
    launch_delay: Distribution | None
    run_duration: Distribution | None
    terminate_delay: Distribution
    exit_code: int
    cpu: Distribution
    memory: MemoryGrowth
    allocation: Allocation
    restart: RestartPolicy
    startup: Probe | None
    liveness: Probe | None
    readiness: Probe | None
    pre_stop_ns: int
    words: tuple[str, ...] | None
    stated: Json
    mounts: list[Json]
    waiting: Json


class PodPlan(msgspec.Struct, frozen=True, eq=False):
    """One template. `names` are of all containers, in the order of statuses."""

    scheduling: views.PodPlan
    containers: tuple[ContainerPlan, ...]
    inits: tuple[ContainerPlan, ...]
    launch_delay: Distribution
    restart_policy: str
    grace_ns: int
    deadline_ns: int | None
    gates: tuple[str, ...]
    host_network: bool
    os: str
    strict_groups: bool
    may_restart_all: bool
    allocation: PodAllocation
    problems: tuple[str, ...]


class Plans:
    """The plans in use.

    NOTE: pods of one template share the parts of their spec, so a comparison of identities replaces
    a comparison of all that they say (benchmarks/controllers.py). A part is kept by its plan, so
    that no other object can get its identity.
    """

    def __init__(self, settings: KubeletSettings) -> None:
        self._compiler = _Compiler(settings)
        self._recent: dict[tuple[int, int], tuple[list[Any], PodPlan]] = {}
        self._plans: dict[bytes, PodPlan] = {}

    def plan_for(self, pod: Json) -> PodPlan:
        """The plan of a pod."""
        spec, annotations = pod["spec"], pod["metadata"].get("annotations")
        parts = [annotations, *map(spec.get, _PARTS)]
        identity = (id(parts[1]), id(annotations))
        recent = self._recent.get(identity)
        if recent is not None and all(map(operator.is_, recent[0], parts)):
            return recent[1]
        namespace = pod["metadata"]["namespace"]
        key = _encode([namespace, parts])
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._compiler.compile(spec, annotations or {}, namespace)
        if len(self._recent) >= _MAX_PLANS:
            self._recent.clear()
        self._recent[identity] = parts, plan
        return plan

    def of_ephemeral(self, container: Json, pod: Json) -> ContainerPlan:
        """The plan of a container that was added to a pod: it runs as long as that does."""
        return self._compiler.ephemeral(container, pod)


class _Compiler:
    def __init__(self, settings: KubeletSettings) -> None:
        read = distributions.parse
        self._launch = read(settings.launch_delay)
        self._terminate = read(settings.terminate_delay)
        self._init = read(settings.init_run_duration)
        duration = settings.run_duration
        self._is_set = bool(duration)
        self._job: Distribution | None = read(settings.job_run_duration)
        self._server: Distribution | None = None
        if duration:
            self._job = self._server = None if duration == FOR_EVER else read(duration)
        self._cpu = distributions.parse_quantity(settings.cpu_usage)
        self._memory = usage.parse_memory(settings.memory_usage)
        self._unpullable = settings.unpullable_images

    def compile(self, spec: Json, annotations: dict[str, str], namespace: str) -> PodPlan:
        reader = notes.Reader(annotations)
        policy = spec.get("restartPolicy") or "Always"
        inits = tuple(
            self._container(each, reader, spec, is_init=True, has_inits=True)
            for each in spec.get("initContainers") or ()
        )
        containers = tuple(
            self._container(each, reader, spec, is_init=False, has_inits=bool(inits))
            for each in spec["containers"]
        )
        deadline = spec.get("activeDeadlineSeconds")
        groups = (spec.get("securityContext") or {}).get("supplementalGroupsPolicy")
        rules = [rule for each in (*inits, *containers) for rule in each.restart.rules]
        return PodPlan(
            views.of(spec, namespace),
            containers,
            inits,
            reader.duration("launch-delay", self._launch),
            policy,
            (spec.get("terminationGracePeriodSeconds") or 0) * SECOND_NS,
            None if deadline is None else deadline * SECOND_NS,
            tuple(gate["conditionType"] for gate in spec.get("readinessGates") or ()),
            bool(spec.get("hostNetwork")),
            (spec.get("os") or {}).get("name") or "",
            groups == "Strict",
            any(action == restarts.RESTART_ALL for action, _, _ in rules),
            allocation.of_pod(spec),
            tuple(reader.problems),
        )

    def ephemeral(self, container: Json, pod: Json) -> ContainerPlan:
        reader = notes.Reader(pod["metadata"].get("annotations") or {})
        plan = self._container(container, reader, pod["spec"], is_init=False, has_inits=False)
        path = f"spec.ephemeralContainers{{{plan.name}}}"
        return msgspec.structs.replace(plan, path=path, run_duration=None)

    def _container(
        self,
        container: Json,
        reader: notes.Reader,
        spec: Json,
        *,
        is_init: bool,
        has_inits: bool,
    ) -> ContainerPlan:
        name, image = container["name"], container.get("image") or ""
        is_sidecar = is_init and container.get("restartPolicy") == "Always"
        pod_policy = spec.get("restartPolicy") or "Always"
        failing = reader.failing_probes(name)
        mounts = [_mount(each) for each in container.get("volumeMounts") or ()]
        normal = views.normalized_image(image)
        return ContainerPlan(
            name=name,
            path=f"spec.{'initContainers' if is_init else 'containers'}{{{name}}}",
            image=normal,
            requested_image=image,
            present_text=f'Container image "{image}" {_PRESENT}',
            pull_policy=container.get("imagePullPolicy") or "IfNotPresent",
            image_size=reader.image_size(name),
            pull_error=reader.image_error(name) or image_names.pull_error(image, self._unpullable),
            name_error=image_names.problem(image),
            references=references.of_environment(container),
            sub_paths=sub_paths.of_container(container),
            is_init=is_init,
            is_sidecar=is_sidecar,
            launch_delay=reader.named_duration("launch-delay", name),
            run_duration=reader.lifetime(
                self._lifetime(container, pod_policy, is_init, is_sidecar), name, named_only=is_init
            ),
            terminate_delay=reader.duration("terminate-delay", self._terminate, name),
            exit_code=reader.exit_code(name, named_only=is_init),
            cpu=reader.cpu_usage(self._cpu, name, named_only=is_init),
            memory=reader.memory_usage(self._memory, name, named_only=is_init),
            allocation=allocation.of_container(container, spec.get("resources")),
            restart=restarts.policy_of(container, pod_policy, is_init=is_init),
            startup=probes.read_probe(container, "startup", failing),
            liveness=probes.read_probe(container, "liveness", failing),
            readiness=probes.read_probe(container, "readiness", failing),
            pre_stop_ns=_pre_stop_ns(container),
            words=None if self._is_set or reader.has_end(name) else programs.words(container),
            stated=container,
            mounts=mounts,
            waiting=_waiting(name, image, mounts, has_inits=has_inits),
        )

    def _lifetime(
        self, container: Json, policy: str, is_init: bool, is_sidecar: bool
    ) -> Distribution | None:
        if is_sidecar:
            return None
        if is_init:
            default: Distribution | None = self._init
        else:
            default = self._server if policy == "Always" else self._job
        return default if self._is_set else programs.lifetime(container, default)


def _pre_stop_ns(container: Json) -> int:
    """How long a preStop hook takes: a sleep is known, a command or request takes no time."""
    hook = (container.get("lifecycle") or {}).get("preStop") or {}
    return int((hook.get("sleep") or {}).get("seconds") or 0) * SECOND_NS


def _mount(mount: Json) -> Json:
    status = {"name": mount["name"], "mountPath": mount["mountPath"]}
    if mount.get("readOnly"):
        requested = mount.get("recursiveReadOnly")
        status["readOnly"] = True
        status["recursiveReadOnly"] = "Enabled" if requested == "Enabled" else "Disabled"
    return status


def _waiting(name: str, image: str, mounts: list[Json], *, has_inits: bool) -> Json:
    status: Json = {
        "name": name,
        "state": {"waiting": {"reason": "PodInitializing" if has_inits else "ContainerCreating"}},
        "lastState": {},
        "ready": False,
        "restartCount": 0,
        "image": image,
        "imageID": "",
        "started": False,
    }
    if mounts:
        status["volumeMounts"] = mounts
    return status
