"""A predictive autoscaler: it scales for the CPU that pods will need when new ones are ready."""

from typing import Any

from kubestage.controllers.hpa.framework import Observation, Recommendation

AHEAD = 90.0  # seconds: an image to pull and a slow start, and the delay of metrics
WINDOW = 120.0
UTILIZATION = 0.7


class Trend:
    """Fits a straight line to the last two minutes of CPU usage, and extrapolates it."""

    def __init__(self, hpa: dict[str, Any]) -> None:
        self.samples: list[tuple[float, float]] = []

    def recommend(self, observation: Observation) -> Recommendation | None:
        used = [pod.cpu for pod in observation.pods if pod.cpu is not None]
        if not used:
            return None
        self.samples.append((observation.seconds, sum(used)))
        self.samples = [each for each in self.samples if each[0] > observation.seconds - WINDOW]
        expected = max(self.expected(observation.seconds + AHEAD), self.samples[-1][1])
        request = observation.pods[0].cpu_request or 1.0
        replicas = -int(-expected // (request * UTILIZATION))
        observation.log.debug("%.2f cores now, %.2f expected", self.samples[-1][1], expected)
        if observation.replicas - 2 <= replicas <= observation.replicas:
            return None
        return Recommendation(replicas, f"{expected:.1f} cores expected in {AHEAD:.0f} s")

    def expected(self, at: float) -> float:
        """The value of the least-squares line at a time."""
        if len(self.samples) < 2:
            return self.samples[-1][1]
        count = len(self.samples)
        mean_time = sum(time for time, _ in self.samples) / count
        mean_cpu = sum(cpu for _, cpu in self.samples) / count
        spread = sum((time - mean_time) ** 2 for time, _ in self.samples)
        slope = sum((time - mean_time) * (cpu - mean_cpu) for time, cpu in self.samples) / spread
        return mean_cpu + slope * (at - mean_time)
