"""An autoscaler that looks ahead: it scales for the CPU that pods will need when new ones serve."""

from typing import Any

from kubestage.controllers.hpa.framework import Observation, Recommendation

AHEAD = 90.0  # seconds: an image to pull and a slow start, and time until usage is seen
REMEMBERED = 120.0
UTILIZATION = 0.7


class Trend:
    """Draws a straight line through the last two minutes of CPU usage, and goes on along it."""

    def __init__(self, hpa: dict[str, Any]) -> None:
        self.seen: list[tuple[float, float]] = []

    def recommend(self, observation: Observation) -> Recommendation | None:
        used = [pod.cpu for pod in observation.pods if pod.cpu is not None]
        if not used:
            return None
        self.seen.append((observation.seconds, sum(used)))
        self.seen = [each for each in self.seen if each[0] > observation.seconds - REMEMBERED]
        expected = max(self.expected(observation.seconds + AHEAD), self.seen[-1][1])
        request = observation.pods[0].cpu_request or 1.0
        replicas = -int(-expected // (request * UTILIZATION))
        observation.log.debug("%.2f cores now, %.2f expected", self.seen[-1][1], expected)
        if observation.replicas - 2 <= replicas <= observation.replicas:
            return None
        return Recommendation(replicas, f"{expected:.1f} cores expected in {AHEAD:.0f} s")

    def expected(self, at: float) -> float:
        """The line of least squares, at some time."""
        if len(self.seen) < 2:
            return self.seen[-1][1]
        count = len(self.seen)
        mean_time = sum(time for time, _ in self.seen) / count
        mean_cpu = sum(cpu for _, cpu in self.seen) / count
        spread = sum((time - mean_time) ** 2 for time, _ in self.seen)
        slope = sum((time - mean_time) * (cpu - mean_cpu) for time, cpu in self.seen) / spread
        return mean_cpu + slope * (at - mean_time)
