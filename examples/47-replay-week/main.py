"""A recorded week: how far does the stage agree, and what if the scheduler had packed pods?"""

from kubestage.results import agreement_rows
from kubestage.runs import CompareOptions
from kubestage.runs.compare import compare
from kubestage.runs.replaying import ReplayOptions, replay

packed = replay("week", ReplayOptions(config="packing.yaml"))

# How far it can be trusted: what the stage says of the recorded week, under the recorded settings.
print(f"recorded settings: {packed.baseline.same_node_share:.1%} of pods on the same node")
print(agreement_rows.scope(packed.decisions))
for name, share, _ in agreement_rows.shares(packed.decisions):
    print(f"  {share:>6} {name}")
print("decisions that ties do not explain:", len(packed.decisions.misses))

print()
print("packed:", packed.headline())
for each in packed.agreement.disagreements:
    print(f"  {agreement_rows.elsewhere(each)}")

compared = compare(["week"], CompareOptions(configs=("default", "packing.yaml")))
print()
for measure in compared.measures:
    before, after = measure.values
    print(f"{measure.name}: {before:g}, packed {after:g}")
