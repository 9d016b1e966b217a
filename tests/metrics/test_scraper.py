"""The metrics ticktock: what is seen when, and when it is known."""

from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.metrics.samples import ContainerSample, PodSample, Used
from kubestage.metrics.scraper import Metrics, Scrape
from kubestage.metrics.settings import MetricsSettings
from kubestage.sim.environment import Environment
from kubestage.units import SECOND_NS

POD = "shop/web"


class Burner:
    """Containers that use a constant share of a core since they were started."""

    def __init__(self, environment: Environment, **cores: float) -> None:
        self._clock = environment.clock
        self.cores = cores
        self.started_ns = 0
        self.is_there = True

    def used(self) -> dict[str, dict[str, Used]]:
        if not self.is_there:
            return {}
        since = self._clock.now_ns - self.started_ns
        return {
            POD: {
                name: Used(self.started_ns, cores * since, 1_000.0)
                for name, cores in self.cores.items()
            }
        }


def metrics_of(environment: Environment, *burners: Burner, delay_ns: int = 0) -> Metrics:
    metrics = Metrics(environment, MetricsSettings(delay_ns=delay_ns))
    for burner in burners:
        metrics.add_source(burner)
    metrics.require()
    return metrics


def sample(metrics: Metrics) -> PodSample | None:
    return metrics.board.pods("shop").get("web")


def test_nothing_is_looked_at_until_somebody_asks() -> None:
    environment = Environment()
    metrics = Metrics(environment)
    environment.run(until_ns=60 * SECOND_NS)
    assert not metrics.is_on
    assert environment.completed_count == 1


def test_usage_is_the_mean_since_the_last_look() -> None:
    environment = Environment()
    burner = Burner(environment, web=0.25)
    metrics = metrics_of(environment, burner)
    environment.run(until_ns=16 * SECOND_NS)
    burner.cores["web"] = 0.25
    environment.run(until_ns=31 * SECOND_NS)
    seen = sample(metrics)
    assert seen is not None
    assert seen.window_ns == 15 * SECOND_NS
    assert seen.containers == {"web": ContainerSample(250_000_000, 1_000)}
    assert seen.unix_ns == environment.clock.epoch_ns + 30 * SECOND_NS + 1


def test_a_look_takes_its_time_to_arrive() -> None:
    environment = Environment()
    metrics = metrics_of(environment, Burner(environment, web=1.0), delay_ns=4 * SECOND_NS)
    environment.run(until_ns=19 * SECOND_NS)
    assert sample(metrics) is None
    assert metrics.stocks["MetricsPipeline"].count == 1
    environment.run(until_ns=20 * SECOND_NS)
    assert sample(metrics) is not None
    kinds = [each.movement.kind for each in environment.completed_movements]
    assert kinds == ["start_to_running", "metrics_tick", "send_metrics_to_sink"]


def test_a_young_container_is_judged_by_its_life_once_that_is_ten_seconds() -> None:
    environment = Environment()
    burner = Burner(environment, web=0.5)
    metrics = metrics_of(environment, burner)
    burner.started_ns = 6 * SECOND_NS
    environment.run(until_ns=16 * SECOND_NS)
    assert sample(metrics) is None
    burner.started_ns = 18 * SECOND_NS
    environment.run(until_ns=31 * SECOND_NS)
    seen = sample(metrics)
    assert seen is not None
    assert seen.window_ns == 12 * SECOND_NS + 1
    assert seen.containers["web"].cpu_nanos == 500_000_000


def test_a_pod_with_a_container_too_young_is_not_told_of() -> None:
    environment = Environment()
    old, young = Burner(environment, web=0.5), Burner(environment, proxy=0.5)
    young.started_ns = 10 * SECOND_NS
    metrics = metrics_of(environment, old, young)
    environment.run(until_ns=16 * SECOND_NS)
    assert sample(metrics) is None
    environment.run(until_ns=31 * SECOND_NS)
    seen = sample(metrics)
    assert seen is not None
    assert sorted(seen.containers) == ["proxy", "web"]


def test_what_several_sources_know_of_one_container_adds_up() -> None:
    environment = Environment()
    metrics = metrics_of(environment, Burner(environment, web=0.5), Burner(environment, web=0.25))
    environment.run(until_ns=16 * SECOND_NS)
    seen = sample(metrics)
    assert seen is not None
    assert seen.containers["web"] == ContainerSample(750_000_000, 2_000)


def test_a_pod_that_is_gone_is_forgotten_at_the_next_look() -> None:
    environment = Environment()
    burner = Burner(environment, web=0.5)
    metrics = metrics_of(environment, burner)
    environment.run(until_ns=16 * SECOND_NS)
    burner.is_there = False
    environment.run(until_ns=31 * SECOND_NS)
    assert sample(metrics) is None


def test_a_counter_that_goes_back_is_not_told_of_until_it_can_be_compared_again() -> None:
    environment = Environment()
    steady, leaving = Burner(environment, web=0.25), Burner(environment, web=0.5)
    metrics = metrics_of(environment, steady, leaving)
    environment.run(until_ns=16 * SECOND_NS)
    leaving.is_there = False
    environment.run(until_ns=31 * SECOND_NS)
    assert sample(metrics) is None
    environment.run(until_ns=46 * SECOND_NS)
    seen = sample(metrics)
    assert seen is not None
    assert seen.containers["web"].cpu_nanos == 250_000_000


def test_a_container_that_several_know_of_runs_since_the_first_of_them_says() -> None:
    environment = Environment()
    early, late = Burner(environment, web=0.5), Burner(environment, web=0.0)
    late.started_ns = 12 * SECOND_NS
    metrics = metrics_of(environment, late, early)
    environment.run(until_ns=16 * SECOND_NS)
    seen = sample(metrics)
    assert seen is not None
    assert seen.window_ns == 15 * SECOND_NS + 1
    assert seen.containers["web"].cpu_nanos == 500_000_000


def test_others_add_to_a_look_what_arrives_with_it() -> None:
    environment = Environment()
    metrics = metrics_of(environment, delay_ns=SECOND_NS)
    arrived: list[int] = []

    def add(look: Scrape) -> None:
        look.posts.append(lambda _: arrived.append(environment.clock.now_ns))

    metrics.on_scrape(add)
    environment.run(until_ns=20 * SECOND_NS)
    assert arrived == [16 * SECOND_NS + 1]


@pytest.mark.parametrize(
    ("settings", "path"),
    [({"resolution_ns": 0}, "metrics.resolution"), ({"delay_ns": -1}, "metrics.delay")],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, int], path: str) -> None:
    with pytest.raises(InputError) as caught:
        MetricsSettings(**settings)
    assert caught.value.path == path
