"""A dump of a cluster: how many nodes would be enough, if pods were packed?"""

from kubestage import run
from kubestage.runs import RunOptions
from kubestage.runs.free_nodes import names

before = run("dump.yaml")
print(before.headline() or "nothing to schedule")
for note in before.notes:
    print("note:", note)

packed = run("dump.yaml", RunOptions(reschedule="all", config="packing.yaml"))
print()
print("packed:", packed.headline())
free = names(packed.stage)
print("could go:", ", ".join(free))

# The proof: without them, every pod has a node still.
options = RunOptions(reschedule="all", config="packing.yaml", without=tuple(free))
smaller = run("dump.yaml", options)
print("without them:", smaller.headline())

one_fewer = RunOptions(reschedule="all", config="packing.yaml", without=(*free, "node-2"))
print("and without node-2:", run("dump.yaml", one_fewer).headline())
