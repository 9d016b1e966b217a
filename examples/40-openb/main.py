"""A published table again: six policies of GPU sharing on OpenB at 130 % arrived load.

Without the data of OpenB, a small trace of the same form is drawn.
"""

from __future__ import annotations

import argparse
import csv
import pathlib
import random
import statistics
import tempfile

import kubestage
from kubestage.runs import RunOptions

PUBLISHED = {
    "Random": (87.47, 0.30),
    "DotProd": (90.85, 0.19),
    "GpuClustering": (91.88, 0.59),
    "GpuPacking": (92.00, 0.52),
    "BestFit": (93.08, 0.13),
    "FGD": (95.39, 0.08),
}
PROFILES = pathlib.Path(__file__).parent / "profiles"
NODES, PODS = "openb_node_list_gpu_node.csv", "openb_pod_list_default.csv"


def draw(folder: pathlib.Path) -> None:
    """Write a small trace: 40 nodes with 2 to 8 GPUs, and 300 pods with shares or whole GPUs."""
    chosen = random.Random(7)
    nodes = [[f"node-{at:02}", 64_000, 262_144, chosen.choice((2, 4, 8)), "T4"] for at in range(40)]
    shares = [(1, milli) for milli in (200, 250, 460, 500, 700)] + [(1, 1000), (2, 1000), (4, 1000)]
    pods = [
        [f"pod-{at:03}", chosen.choice((2_000, 4_000, 8_000)), 8_192, *chosen.choice(shares), "",
         "LS", "Running", at, at + 9_999, at]
        for at in range(300)
    ]  # fmt: skip
    columns = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
    times = "creation_time,deletion_time,scheduled_time"
    for name, head, rows in (
        (NODES, "sn,cpu_milli,memory_mib,gpu,model", nodes),
        (PODS, columns + times, pods),
    ):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([head.split(","), *rows])


def allocated(data: pathlib.Path, policy: str, seed: int) -> float:
    """The share of all GPUs that pods have at the end, in percent."""
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "scheduler.yaml"
        profile = (PROFILES / f"{policy}.yaml").read_text()
        config.write_text(profile.replace(PODS, str(data / PODS)))
        options = RunOptions(
            config=str(config),
            plugins=(f"policies.py:{policy}",),
            arrivals=(str(data / PODS),),
            arrivals_load="130%",
            arrivals_shuffle=True,
            seed=seed,
            unschedulable="leave",
            tie_break="first",
            controllers=False,
            detail="summary",
        )
        result = kubestage.run([str(data / NODES)], options)
    assert result.stage.scheduler is not None
    gpus = result.stage.scheduler.cache.columns.devices("gpu")
    return float(100 * (1 - gpus.free.sum() / (1000 * gpus.count.sum())))


def table(
    data: pathlib.Path, policies: list[str], seeds: list[int], *, has_published: bool
) -> None:
    """Print what each policy achieves: mean and standard deviation over the seeds."""
    print(f"{'POLICY':<15}{'HERE':>7}{'+-':>6}" + f"{'PUBLISHED':>12}{'+-':>6}" * has_published)
    for policy in policies:
        found = [allocated(data, policy, seed) for seed in seeds]
        mean, spread = PUBLISHED[policy]
        published = f"{mean:12.2f}{spread:6.2f}" * has_published
        here = f"{statistics.mean(found):7.2f}{statistics.pstdev(found):6.2f}"
        print(f"{policy:<15}{here}{published}", flush=True)


def main() -> None:
    """Print the table: of the small trace, or of OpenB's data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, help="the folder with OpenB's CSV files")
    parser.add_argument("--policy", action="append", choices=PUBLISHED, help="by default all")
    parser.add_argument("--seeds", type=int, default=1, help="how many, from 42 on")
    arguments = parser.parse_args()
    seeds = list(range(42, 42 + arguments.seeds))
    policies = arguments.policy or list(PUBLISHED)
    if arguments.data is not None:
        table(arguments.data.resolve(), policies, seeds, has_published=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        draw(pathlib.Path(folder))
        table(pathlib.Path(folder), policies, seeds, has_published=False)


if __name__ == "__main__":
    main()
