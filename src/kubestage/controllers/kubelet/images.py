"""The images of nodes: pulled in the order of requests, kept, and shown in the nodes' statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet import restarts
from kubestage.controllers.kubelet.containers import image_id
from kubestage.controllers.kubelet.events import NORMAL, WARNING
from kubestage.golang import durations
from kubestage.objects import quantity
from kubestage.objects.views import plan as views
from kubestage.sim.entity import Entity
from kubestage.sim.movement import Movement
from kubestage.sim.stock import MapStock

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.settings import KubeletSettings
    from kubestage.sim.environment import Environment


KIND: Final = "Image"
NEVER_PULLED: Final = "ErrImageNeverPull"
INVALID_NAME: Final = "InvalidImageName"
_MOST_REPORTED: Final = 50


class Image(Entity):
    """An image on its way to a node."""

    __slots__ = ("image", "node", "size")

    def __init__(self, node: Node, image: str, size: int) -> None:
        Entity.__init__(self, f"{node.name}/{image}", KIND)
        self.node = node
        self.image = image
        self.size = size


class ImagesPresent:
    """Images that are present; each arrival is reported."""

    __slots__ = ("_arrived", "count", "kind_stocked", "name")

    def __init__(self, arrived: Callable[[Image], None]) -> None:
        self.name = "ImagesPresent"
        self.kind_stocked = KIND
        self.count = 0
        self._arrived = arrived

    def entities_in_stock(self) -> tuple[Image, ...]:
        """Nothing: nodes themselves know what they have."""
        return ()

    def add(self, image: Image) -> None:
        """An image is there."""
        self.count += 1
        image.node.present.add(image.image)
        self._arrived(image)


class Images:
    """Sees to it that containers get their images."""

    def __init__(
        self,
        environment: Environment,
        settings: KubeletSettings,
        events: Events,
        arrived: Callable[[Image], None],
    ) -> None:
        self._environment = environment
        self._clock = environment.clock
        self._events = events
        self._sizes = {
            views.normalized_image(name): quantity.parse(text).value
            for name, text in settings.image_sizes.items()
        }
        self._default_size = quantity.parse(settings.image_size).value
        self._at_once = settings.max_parallel_image_pulls
        self.pulling: MapStock[Image] = MapStock("ImagesPulling", KIND)
        self.present = ImagesPresent(arrived)

    def learn(self, node: Node) -> None:
        """Take over the images that a node reports, with their sizes."""
        for name, size in node.view.images.items():
            self._sizes.setdefault(name, size)
            node.images[name] = size
            node.present.add(name)

    def forget(self, node: Node) -> None:
        """A node is gone, and what was on its way there with it."""
        for image in self.pulling.entities_in_stock():
            if image.node is node:
                self.pulling.remove(image)

    def is_at_hand(self, node: Node, container: Container) -> bool:
        """Whether a container can start without waiting for its image, as far as is known."""
        plan = container.plan
        if plan.image not in node.present or plan.pull_error or plan.name_error:
            return False
        return plan.pull_policy != "Always" or node.pulls_until_ns <= self._clock.now_ns

    def ensure(self, pod: Pod, node: Node, container: Container) -> int | None:
        """See to a container's image: when it will be there, or None if that is not known."""
        plan = container.plan
        policy, image, named = plan.pull_policy, plan.image, plan.requested_image
        if plan.name_error:
            self._reject(pod, container)
            return None
        if policy != "Always" and image in node.present:
            self._events.pod(pod, NORMAL, "Pulled", plan.present_text, container)
            return self._clock.now_ns
        if policy == "Never":
            self._refuse(pod, node, container)
            return None
        self._events.pod(pod, NORMAL, "Pulling", f'Pulling image "{named}"', container)
        if plan.pull_error:
            self._fail(pod, container)
            return None
        container.pull_backoff_ns = 0
        return self._pull(node, container)

    def report_pulled(self, pod: Pod, node: Node, container: Container) -> None:
        """A pull that was waited for is done."""
        assert container.pull is not None
        requested_ns, pull_ns = container.pull
        container.pull = None
        took, waited = (
            durations.go_string(span - span % durations.MILLISECOND)
            for span in (pull_ns, self._clock.now_ns - requested_ns)
        )
        plan = container.plan
        size = node.images.get(plan.image, 0)
        text = (
            f'Successfully pulled image "{plan.requested_image}" in {took} '
            f"({waited} including waiting). Image size: {size} bytes."
        )
        self._events.pod(pod, NORMAL, "Pulled", text, container)

    def hold_back(self, pod: Pod, container: Container) -> None:
        """A pull that failed is not tried again for some time."""
        plan = container.plan
        text = f'Back-off pulling image "{plan.requested_image}"'
        self._events.pod(pod, NORMAL, "BackOff", text, container)
        self._events.pod(pod, WARNING, "Failed", "Error: ImagePullBackOff", container)
        container.wait("ImagePullBackOff", f"{text}: ErrImagePull: {plan.pull_error}")

    def _fail(self, pod: Pod, container: Container) -> None:
        """A pull fails at once, and is tried again, later each time."""
        plan, now_ns = container.plan, self._clock.now_ns
        text = f'Failed to pull image "{plan.requested_image}": {plan.pull_error}'
        self._events.pod(pod, WARNING, "Failed", text, container)
        self._events.pod(pod, WARNING, "Failed", "Error: ErrImagePull", container)
        container.wait("ErrImagePull", plan.pull_error)
        container.is_busy = True
        backoff_ns = restarts.next_backoff(container.pull_backoff_ns, 0, 0)
        container.pull_backoff_ns = backoff_ns
        if backoff_ns > restarts.FIRST_BACKOFF_NS:
            held_ns = now_ns + restarts.FIRST_BACKOFF_NS
            pod.plan_step(held_ns, steps.PULL_BACKOFF, container)
        pod.plan_step(now_ns + backoff_ns, steps.RETRY, container)

    def _reject(self, pod: Pod, container: Container) -> None:
        """The name of an image is none: the container waits for another one."""
        text = container.plan.name_error
        self._events.pod(pod, WARNING, "InspectFailed", text, container)
        self._events.pod(pod, WARNING, "Failed", f"Error: {INVALID_NAME}", container)
        container.wait(INVALID_NAME, text)
        container.is_busy = True

    def _refuse(self, pod: Pod, node: Node, container: Container) -> None:
        named = container.plan.requested_image
        text = f'Container image "{named}" is not present with pull policy of Never'
        if container.reason != NEVER_PULLED:
            self._events.pod(pod, WARNING, NEVER_PULLED, text, container)
            self._events.pod(pod, WARNING, "Failed", f"Error: {NEVER_PULLED}", container)
        container.wait(NEVER_PULLED, text)
        node.lacking.setdefault(container.plan.image, {})[pod.uid] = pod

    def _pull(self, node: Node, container: Container) -> int:
        """Queue behind the node's other pulls; what these pull is not pulled again."""
        now_ns, image = self._clock.now_ns, container.plan.image
        if self._at_once > 1 and node.pull_ends.get(image, 0) > now_ns:
            container.pull = (now_ns, 0)
            return node.pull_ends[image]
        begins_ns = max(now_ns, self._turn_ns(node))
        pull_ns = 0
        if image not in node.images:
            stated = container.plan.image_size
            size = self._sizes.get(image, self._default_size) if stated is None else stated
            node.images[image] = size
            self._sizes.setdefault(image, size)
            pull_ns = round(size / node.bandwidth * durations.SECOND) if node.bandwidth else 0
            arriving = Image(node, image, size)
            self.pulling.add(arriving)
            done_ns = max(begins_ns + pull_ns, 1)
            movement = Movement("pull", done_ns, self.pulling, self.present, arriving)
            self._environment.add_to_schedule(movement)
        self._occupy(node, image, begins_ns + pull_ns)
        container.pull = (now_ns, pull_ns)
        return begins_ns + pull_ns

    def _turn_ns(self, node: Node) -> int:
        """When a node can begin another pull."""
        if self._at_once == 1:
            return node.pulls_until_ns
        now_ns = self._clock.now_ns
        ends = sorted(end_ns for end_ns in node.pull_ends.values() if end_ns > now_ns)
        return now_ns if len(ends) < self._at_once else ends[-self._at_once]

    def _occupy(self, node: Node, image: str, until_ns: int) -> None:
        if self._at_once == 1:
            node.pulls_until_ns = until_ns
        else:
            node.pull_ends[image] = until_ns


def with_image(reported: list[Json], image: str, size: int) -> list[Json]:
    """The images in a node's status and one more: the largest first, and not too many."""
    added = {"names": list(dict.fromkeys((image_id(image), image))), "sizeBytes": size}
    largest = sorted([*reported, added], key=_size, reverse=True)
    return largest[:_MOST_REPORTED]


def _size(image: Json) -> int:
    size: int = image.get("sizeBytes") or 0
    return size
