"""What compiled code works on: groups of arrays, and what is where in them.

A *plan* is what a pod requests of nodes alone: for it a node is one bit and one number, stored for
all nodes. A *kind* is a plan with the terms and constraints of its pods on other pods: lists of
items, each of which points at a counter (a run of cells) and at the slot of every node in it.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Codes, Ints, Mask
    from kubestage.scheduler.resource_table import Table

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
Slots = np.ndarray[tuple[int, int], np.dtype[np.int32]]

# The lists of a kind, in order. Pods must not be unevenly spread (HARD), must be where some are
# (NEAR) and not where others are (AWAY), would rather be evenly spread (SOFT) and where some are
# (LIKES), and are counted in some counters (COUNTS).
HARD: Final = 0
NEAR: Final = 1
AWAY: Final = 2
SOFT: Final = 3
LIKES: Final = 4
LIKES_END: Final = 5
COUNTS: Final = 6
COUNTS_END: Final = 7
BOUNDS: Final = 8

# The fields of an item. LINE is the line of `slots` that it goes by (OF_NODE: a slot per node),
# FIRST and SIZE are where its counter is (NO_COUNTER: all zeros), WEIGHT is a weight or a skew.
LINE: Final = 0
FIRST: Final = 1
SIZE: Final = 2
WEIGHT: Final = 3
OWN: Final = 4
"""Whether the pod is one of those that it counts."""
LEAST: Final = 5
"""How many domains there must be."""
PRESENT: Final = 6
PRESENT_END: Final = 7
"""Where in `extra` the domains are that there are."""
ROWS: Final = 8
ROWS_END: Final = 9
"""Where in `extra` the nodes are that count, if not all do; their domains follow."""
SUMS: Final = 10
"""Where in `sums` the pods on those are added up."""
UNNAMED: Final = 11
"""The slot of nodes that have no value."""
FIELDS: Final = 12

# The traits of a kind: its plan, whether its pods must be near their like, whether nodes must have
# all topologies to be scored, and the weights of affinity and of spread.
PLAN: Final = 0
FINDS_ITSELF: Final = 1
REQUIRES_ALL: Final = 2
AFFINITY_WEIGHT: Final = 3
SPREAD_WEIGHT: Final = 4
TRAITS: Final = 5

OF_NODE: Final = -1
NO_COUNTER: Final = -1

# What weighs how much in a plan: the two scores of resources, whether nodes shall be packed, and
# the two that are relative to the best node.
FIT: Final = 0
BALANCE: Final = 1
STRATEGY: Final = 2
DISLIKED: Final = 3
PREFERRED: Final = 4
WEIGHTS: Final = 5


class Nodes(NamedTuple):
    """What all plans and kinds read of nodes, and what a placement changes."""

    free: Table
    allocatable: Table
    nonzero: Table
    requested: Table
    ring: Ints
    logged: Ints
    slots: Slots
    cells: Codes


class PlanArrays(NamedTuple):
    """What is kept of each plan, by its number; the last four have a number for each node."""

    sizes: Table
    lines: Table
    least: Table
    scoring: Any
    balancing: Any
    weights: Table
    relative: Table
    adds: Any
    seen: Ints
    is_open: Any
    fixed: Table
    feasible: Any
    totals: Table
    raw: Table


class KindArrays(NamedTuple):
    """What is kept of each kind, by its number, and the items of all lists of all kinds."""

    traits: Table
    bounds: Table
    items: Table
    extra: Ints
    logarithms: Floats


class Scratch(NamedTuple):
    """Room for the numbers of an attempt; `order` is which place goes first among equals."""

    rows: Ints
    totals: Ints
    order: Ints
    raw: Ints
    worth: Floats
    fits: Mask
    is_ignored: Mask
    limits: Ints
    sums: Ints
    marks: Ints


STAMP: Final = zlib.crc32(
    repr([each for each in globals().items() if type(each[1]) is int]).encode()
)
"""Another number when anything is somewhere else."""
