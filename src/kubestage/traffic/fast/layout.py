"""What is where in the arrays of the kernel.

A request has a slot and a replica a station: a stretch of whole numbers, and one of floats in an
array beside it. A slot or station is named by where its whole numbers begin; -1 is none.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

Ints = MutableSequence[int]
Floats = MutableSequence[float]

NONE: Final = -1
NEVER: Final = (1 << 63) - 1
FAR: Final = 4.0e18
"""No service takes longer than that many nanoseconds (126 years)."""

# Slots. Links are those of the heap (processor sharing) or the queue (first come, first served);
# OLDER and NEWER join all requests in flight in the order of their arrival.
SLOT: Final = 16
NUMBER: Final = 0
ARRIVED: Final = 1
STATION: Final = 2
PHASE: Final = 3
LEFT: Final = 4
RIGHT: Final = 5
PARENT: Final = 6
OLDER: Final = 7
NEWER: Final = 8
IO: Final = 9
STARTED: Final = 10

# The floats of a slot begin at an eighth of where its whole numbers do. KEY is the virtual finish
# (processor sharing), the rate (first come, first served), or the CPU it holds (Skenario).
CPU: Final = 0
KEY: Final = 1

# What a request is doing.
COMPUTING: Final = 0
QUEUEING: Final = 1
LEAVING: Final = 2
"""It goes on to its end, which is known, or to its deadline."""
LOST: Final = 3
"""It holds nothing, and goes on to its deadline. STARTED is NONE if it was never served."""

# Stations.
DESK: Final = 16
SERIAL: Final = 0
HELD: Final = 1
BUSY: Final = 2
FIRST: Final = 3
LAST: Final = 4
WORKERS: Final = 5
SETTLED: Final = 6
DUE: Final = 7
RECEIVED: Final = 8
COMPLETED: Final = 9
FAILED: Final = 10
RESPONSE: Final = 11
IS_SILENT: Final = 12
LOST_HERE: Final = 13
PLACE: Final = 14
"""BUSY are those in their CPU phase, or served by a worker. FIRST is the root of the heap or the
head of the queue. DUE is when the next CPU phase ends; PLACE is the leaf in the tree of those.
LOST_HERE are those of HELD that are lost."""

# The floats of a station begin at a quarter of where its whole numbers do.
CAPACITY: Final = 0
VIRTUAL: Final = 1
USED: Final = 2
OCCUPIED: Final = 3

# The single numbers. Departures happen up to UNTIL, that included, and arrivals before
# ARRIVALS_UNTIL. IS_SENDING means that the arrivals of this instant are not all sent yet.
NOW: Final = 0
IN_FLIGHT: Final = 1
AREA_HIGH: Final = 2
AREA_LOW: Final = 3
FREE: Final = 4
TURN: Final = 5
ACTIVE: Final = 6
HEAP_SIZE: Final = 7
OLDEST: Final = 8
NEWEST: Final = 9
NEXT_NUMBER: Final = 10
POSITION: Final = 11
UNTIL: Final = 12
HORIZON: Final = 13
ENDS: Final = 14
IS_SENDING: Final = 15
DISCIPLINE: Final = 16
ROUTING: Final = 17
MOST_HELD: Final = 18
TIMEOUT: Final = 19
LEAVES: Final = 20
ARRIVALS_UNTIL: Final = 21
SINGLES: Final = 22

AREA_BITS: Final = 30
AREA_MASK: Final = (1 << AREA_BITS) - 1

# Why the kernel returns.
DONE: Final = 0
ARRIVALS_USED_UP: Final = 1
SLOTS_USED_UP: Final = 2
ENDS_FULL: Final = 3

# Disciplines and routings.
SHARING: Final = 0
FIRST_COME: Final = 1
SKENARIO: Final = 2
ROUND_ROBIN: Final = 0
LEAST: Final = 1
AT_RANDOM: Final = 2

# An end of a request; the columns are those of the record.
END: Final = 6
