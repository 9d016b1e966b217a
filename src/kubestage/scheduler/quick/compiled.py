"""Many attempts in one go: the kernels, compiled.

Each does what a plugin does (its twin), but for the one kind of pod and the nodes at hand, and
with the same numbers to the last digit. `layout` has what is where.

NOTE: all that is compiled is in this file, since Numba's cache on disk depends on this file alone;
that it was compiled for the present layout is checked by `stamp`.
Functions that are called for each pod take no more arrays than they need: every array is seven
arguments, and groups of them cost more than the work (4 us a call).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler.quick import compiling, layout

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Codes, Ints, Mask
    from kubestage.scheduler.quick.layout import (
        Floats,
        KindArrays,
        Nodes,
        PlanArrays,
        Scratch,
        Slots,
    )
    from kubestage.scheduler.resource_table import Table

_NO_DOMAIN: Final = (1 << 31) - 1
_MOST: Final = 1 << 62
_BLOCK: Final = 256


@compiling.cached
def place_all(
    pods: Ints,
    start: int,
    needed: Ints,
    by_row: bool,
    found: Table,
    nodes: Nodes,
    plans: PlanArrays,
    kinds: KindArrays,
    scratch: Scratch,
) -> int:
    """Place pods of the given kinds one after the other; how many have found a node.

    What was found goes to `found`: the node, how many were evaluated, and how many were feasible.
    Among equals the one that is first in `scratch.order` is taken: that of places, or of rows.
    """
    count, bounds, items = plans.feasible.shape[1], kinds.bounds, kinds.items
    for at in range(len(pods)):
        kind = pods[at]
        plan = kinds.traits[kind, layout.PLAN]
        catch_up(plan, nodes, plans)
        is_plain = bounds[kind, layout.HARD] == bounds[kind, layout.LIKES_END]
        if is_plain and plans.relative[plan, 0] < 0 and plans.relative[plan, 1] < 0:
            row, evaluated, fit = scan(
                plans.feasible[plan], plans.totals[plan], start, needed[at], scratch.order, by_row
            )
        else:
            row, evaluated, fit = weigh(
                kind, start, needed[at], by_row, nodes, plans, kinds, scratch
            )
        if not fit:
            return at
        found[at, 0], found[at, 1], found[at, 2] = row, evaluated, fit
        start = (start + evaluated) % count
        counts = items[bounds[kind, layout.COUNTS] : bounds[kind, layout.COUNTS_END]]
        count_in(plans.adds[plan], counts, row, 1, nodes)
    return len(pods)


@compiling.cached
def take_back(pods: Ints, rows: Ints, nodes: Nodes, plans: PlanArrays, kinds: KindArrays) -> None:
    """Take pods of the given kinds off the nodes they were placed on."""
    for at in range(len(pods)):
        kind, row = pods[at], rows[at]
        first, end = kinds.bounds[kind, layout.COUNTS], kinds.bounds[kind, layout.COUNTS_END]
        count_in(
            plans.adds[kinds.traits[kind, layout.PLAN]], kinds.items[first:end], row, -1, nodes
        )


@compiling.inner
def scan(
    feasible: Mask, totals: Ints, start: int, needed: int, order: Ints, by_row: bool
) -> tuple[int, int, int]:
    """The best of the first so many nodes that are fit, where nothing but a node's score counts.

    Its twin is `kernels.choose`.
    """
    chosen, found, count = -1, 0, len(feasible)
    top, key = -_MOST, 0
    for step in range(count):
        row = start + step if start + step < count else start + step - count
        if feasible[row]:
            if found == needed:
                return chosen, step, found
            place = order[row if by_row else found]
            if totals[row] > top or (totals[row] == top and place < key):
                chosen, top, key = row, totals[row], place
            found += 1
    return chosen, count, found


@compiling.inner
def weigh(
    kind: int, start: int, needed: int, by_row: bool, nodes: Nodes, plans: PlanArrays,
    kinds: KindArrays, scratch: Scratch,
) -> tuple[int, int, int]:  # fmt: skip
    """The same where other pods count, or scores are relative to those of other nodes."""
    _, _, _, _, _, _, slots, cells = nodes
    traits, bounds, items, extra, logarithms = kinds
    rows, totals, order, raw, worth, fits, is_ignored, limits, sums, marks = scratch
    plan = traits[kind, layout.PLAN]
    hard = items[bounds[kind, layout.HARD] : bounds[kind, layout.NEAR]]
    near = items[bounds[kind, layout.NEAR] : bounds[kind, layout.AWAY]]
    away = items[bounds[kind, layout.AWAY] : bounds[kind, layout.SOFT]]
    set_limits(hard, extra, cells, sums, limits)
    is_alone = traits[kind, layout.FINDS_ITSELF] and not any_of(near, cells)
    fit, evaluated = gather(
        plans.feasible[plan], start, needed, hard, near, away, is_alone, slots, cells, sums,
        limits, rows, fits,
    )  # fmt: skip
    if fit < 2:
        return rows[0], evaluated, fit
    fill(plans.totals[plan], rows, fit, totals)
    if plans.relative[plan, 0] >= 0:
        disliked = plans.raw[plans.relative[plan, 0]]
        add_scaled(disliked, -plans.weights[plan, layout.DISLIKED], rows, fit, totals)
    if plans.relative[plan, 1] >= 0:
        preferred = plans.raw[plans.relative[plan, 1]]
        add_scaled(preferred, plans.weights[plan, layout.PREFERRED], rows, fit, totals)
    likes = items[bounds[kind, layout.LIKES] : bounds[kind, layout.LIKES_END]]
    if len(likes):
        add_likes(likes, traits[kind, layout.AFFINITY_WEIGHT], slots, cells, rows, fit, raw, totals)
    soft = items[bounds[kind, layout.SOFT] : bounds[kind, layout.LIKES]]
    if len(soft):
        left = ignore(soft, traits[kind, layout.REQUIRES_ALL], slots, rows, fit, is_ignored)
        for place in range(fit):
            worth[place] = 0.0
        for at in range(len(soft)):
            domains = left
            if not soft[at, layout.OWN]:
                add_up(soft[at], extra, cells, sums)
                domains = domains_among(soft[at], slots, rows, fit, is_ignored, marks)
            add_worth(soft[at], logarithms[domains], slots, cells, sums, rows, fit, worth)
        add_turned(worth, traits[kind, layout.SPREAD_WEIGHT], fit, is_ignored, raw, totals)
    return rows[best(totals, rows, order, by_row, fit)], evaluated, fit


@compiling.inner
def count_in(adds: Table, counts: Table, row: int, sign: int, nodes: Nodes) -> None:
    """Count a pod in on a node, or out. Twins: `ResourceTable.count` and `PodCounter.count`."""
    free, _, nonzero, requested, ring, logged, slots, cells = nodes
    for line in range(min(adds.shape[1], free.shape[0])):
        change = sign * adds[0, line]
        requested[line, row] += change
        free[line, row] -= change
        nonzero[line, row] += sign * adds[1, line]
    ring[logged[0] & (len(ring) - 1)] = row
    logged[0] += 1
    for at in range(len(counts)):
        line, first, size = (
            counts[at, layout.LINE],
            counts[at, layout.FIRST],
            counts[at, layout.SIZE],
        )
        slot = row if line < 0 else int(slots[line, row])
        if slot < 0:
            cells[first + size] += sign
        else:
            cells[first + slot] += sign
            cells[first + size + 1] += sign


@compiling.part
def catch_up(plan: int, nodes: Nodes, plans: PlanArrays) -> None:
    """Work out the nodes that changed since the plan was last used."""
    ring, logged, seen = nodes.ring, nodes.logged[0], plans.seen[plan]
    if seen < 0 or logged - seen > len(ring):
        for row in range(plans.feasible.shape[1]):
            work_out(plan, row, nodes, plans)
    else:
        for at in range(seen, logged):
            work_out(plan, ring[at & (len(ring) - 1)], nodes, plans)
    plans.seen[plan] = logged


@compiling.inner
def work_out(plan: int, row: int, nodes: Nodes, plans: PlanArrays) -> None:
    """Whether a node has room, and what its resources are worth. Twin: `kernels.work_out`."""
    free, allocatable, nonzero, requested = nodes[:4]
    fits = plans.is_open[plan, row]
    for at in range(plans.sizes[plan, 0]):
        if free[plans.lines[plan, at], row] < plans.least[plan, at]:
            fits = False
    plans.feasible[plan, row] = fits
    score = plans.fixed[plan, row]
    weights = plans.weights[plan]
    if weights[layout.FIT]:
        total, parts = 0, 0
        for at in range(plans.sizes[plan, 1]):
            line, takes, weight = plans.scoring[plan, :, at]
            offered, taken = allocatable[line, row], nonzero[line, row] + takes
            part = min(taken, offered) if weights[layout.STRATEGY] else max(offered - taken, 0)
            total += part * 100 // offered * weight
            parts += weight
        score += total // max(parts, 1) * weights[layout.FIT]
    if weights[layout.BALANCE]:
        one, two = plans.balancing[plan, 0]
        one_has, two_has = allocatable[one, row], allocatable[two, row]
        one_took, two_took = requested[one, row], requested[two, row]
        before = evenness(one_took, one_has, two_took, two_has)
        one_takes, two_takes = plans.balancing[plan, 1]
        after = evenness(one_took + one_takes, one_has, two_took + two_takes, two_has)
        score += (((after - before + 50) >> 1) + 50) * weights[layout.BALANCE]
    plans.totals[plan, row] = score


@compiling.inner
def evenness(one: int, one_has: int, two: int, two_has: int) -> int:
    """How evenly two resources are used. Its twin is `kernels._evenness`."""
    apart = abs(min(one / one_has, 1.0) - min(two / two_has, 1.0)) / 2
    return int((1 - apart) * 100)


@compiling.inner
def set_limits(hard: Table, extra: Ints, cells: Codes, sums: Ints, limits: Ints) -> None:
    """How many pods each constraint allows in a domain. Twin: `pod_topology_spread._verdicts`."""
    for at in range(len(hard)):
        item = hard[at]
        add_up(item, extra, cells, sums)
        first, end = item[layout.PRESENT], item[layout.PRESENT_END]
        least = _NO_DOMAIN if first == end else _MOST
        for place in range(first, end):
            least = min(least, pods_in(item, extra[place], cells, sums))
        if end - first < item[layout.LEAST]:
            least = 0
        limits[at] = item[layout.WEIGHT] + least - item[layout.OWN]


@compiling.inner
def add_up(item: Ints, extra: Ints, cells: Codes, sums: Ints) -> None:
    """Add up the pods on the nodes that count for a constraint, if not all nodes do.

    Its twin is `Domains.totals`.
    """
    at = item[layout.SUMS]
    if at < 0:
        return
    for slot in range(item[layout.SIZE] + 1):
        sums[at + slot] = 0
    first, count = item[layout.ROWS], (item[layout.ROWS_END] - item[layout.ROWS]) // 2
    for place in range(first, first + count):
        sums[at + extra[place + count]] += cells[item[layout.FIRST] + extra[place]]


@compiling.inner
def pods_in(item: Ints, slot: int, cells: Codes, sums: Ints) -> int:
    """How many pods a constraint sees in a domain."""
    if item[layout.SUMS] >= 0:
        return int(sums[item[layout.SUMS] + slot])
    return int(cells[item[layout.FIRST] + slot]) if item[layout.FIRST] >= 0 else 0


@compiling.inner
def any_of(near: Table, cells: Codes) -> bool:
    """Whether there is any of the pods that a pod must be near to.

    Its twin is `inter_pod_affinity._is_first_of_its_kind`.
    """
    found = False
    for at in range(len(near)):
        found |= cells[near[at, layout.FIRST] + near[at, layout.SIZE] + 1] > 0
    return found


@compiling.inner
def gather(
    feasible: Mask, start: int, needed: int, hard: Table, near: Table, away: Table,
    is_alone: bool, slots: Slots, cells: Codes, sums: Ints, limits: Ints, rows: Ints, fits: Mask,
) -> tuple[int, int]:  # fmt: skip
    """The first so many nodes that are fit, into `rows`; how many, and out of how many.

    Nodes are filtered in blocks, since a loop over nodes with one step is the fastest.
    Its twin is `Cycle._evaluate`.
    """
    found, count, looked = 0, len(feasible), 0
    while looked < count:
        first = start + looked if start + looked < count else start + looked - count
        end = min(first + min(_BLOCK, count - looked), count)
        for row in range(first, end):
            fits[row] = feasible[row]
        for at in range(len(hard)):
            keep_even(hard[at], limits[at], slots, cells, sums, first, end, fits)
        for at in range(len(near)):
            keep_near(near[at], is_alone, slots, cells, first, end, fits)
        for at in range(len(away)):
            keep_away(away[at], slots, cells, first, end, fits)
        for row in range(first, end):
            if fits[row]:
                if found == needed:
                    return found, looked + row - first
                rows[found] = row
                found += 1
        looked += end - first
    return found, count


@compiling.inner
def keep_even(
    item: Ints, limit: int, slots: Slots, cells: Codes, sums: Ints, first: int, end: int,
    fits: Mask,
) -> None:  # fmt: skip
    """Strike off nodes in domains that have their share. Twin: PodTopologySpread's filter."""
    line, base, counted = slots[item[layout.LINE]], item[layout.FIRST], item[layout.SUMS]
    for row in range(first, end):
        slot = line[row]
        if slot < 0:
            fits[row] = False
        elif counted >= 0:
            fits[row] &= sums[counted + slot] <= limit
        elif base >= 0:
            fits[row] &= cells[base + slot] <= limit
        else:
            fits[row] &= limit >= 0


@compiling.inner
def keep_near(
    item: Ints, is_alone: bool, slots: Slots, cells: Codes, first: int, end: int, fits: Mask
) -> None:
    """Strike off nodes that a pod is too far away from. Twin: InterPodAffinity's filter."""
    line, base = slots[item[layout.LINE]], item[layout.FIRST]
    for row in range(first, end):
        slot = line[row]
        fits[row] &= slot >= 0 and (is_alone or cells[base + slot] > 0)


@compiling.inner
def keep_away(item: Ints, slots: Slots, cells: Codes, first: int, end: int, fits: Mask) -> None:
    """Strike off nodes that a pod is too close to. Twin: InterPodAffinity's filter."""
    line, base = slots[item[layout.LINE]], item[layout.FIRST]
    for row in range(first, end):
        slot = line[row]
        fits[row] &= slot < 0 or cells[base + slot] <= 0


@compiling.inner
def fill(cached: Ints, rows: Ints, fit: int, totals: Ints) -> None:
    """Begin with the scores that are kept."""
    for place in range(fit):
        totals[place] = cached[rows[place]]


@compiling.part
def add_scaled(line: Ints, weight: int, rows: Ints, fit: int, totals: Ints) -> None:
    """Scores relative to the greatest; a negative weight turns them over.

    Its twin is `normalize.scaled`, but for what all nodes get.
    """
    greatest = 0
    for place in range(fit):
        greatest = max(greatest, line[rows[place]])
    if greatest > 0:
        for place in range(fit):
            totals[place] += line[rows[place]] * 100 // greatest * weight


@compiling.inner
def add_likes(
    likes: Table, weight: int, slots: Slots, cells: Codes, rows: Ints, fit: int, raw: Ints,
    totals: Ints,
) -> None:  # fmt: skip
    """How welcome a pod is among the pods around. Twin: the score of InterPodAffinity."""
    for place in range(fit):
        raw[place] = 0
    for at in range(len(likes)):
        line, first, liking = (
            likes[at, layout.LINE],
            likes[at, layout.FIRST],
            likes[at, layout.WEIGHT],
        )
        for place in range(fit):
            slot = slots[line, rows[place]]
            if slot >= 0:
                raw[place] += cells[first + slot] * liking
    least, most = _MOST, -_MOST
    for place in range(fit):
        least, most = min(least, raw[place]), max(most, raw[place])
    if most > least:
        for place in range(fit):
            totals[place] += int(100 * ((raw[place] - least) / (most - least))) * weight


@compiling.inner
def ignore(
    soft: Table, requires_all: int, slots: Slots, rows: Ints, fit: int, is_ignored: Mask
) -> int:
    """Leave out the nodes that lack a topology which they must have; how many are left.

    Its twin is `spread_scoring._lacking_a_label`.
    """
    left = fit
    for place in range(fit):
        is_ignored[place] = False
        if requires_all:
            for at in range(len(soft)):
                is_ignored[place] |= slots[soft[at, layout.LINE], rows[place]] < 0
        left -= is_ignored[place]
    return left


@compiling.inner
def domains_among(
    item: Ints, slots: Slots, rows: Ints, fit: int, is_ignored: Mask, marks: Ints
) -> int:
    """How many domains the nodes are in. Its twin is `spread_domains.count_among`."""
    marks[0] += 1
    mark, count = marks[0], 0
    for place in range(fit):
        if not is_ignored[place]:
            slot = int(slots[item[layout.LINE], rows[place]])
            if slot < 0:
                slot = item[layout.UNNAMED]
            if marks[1 + slot] != mark:
                marks[1 + slot] = mark
                count += 1
    return count


@compiling.inner
def add_worth(
    item: Ints, weight: float, slots: Slots, cells: Codes, sums: Ints, rows: Ints, fit: int,
    worth: Floats,
) -> None:  # fmt: skip
    """The score of each node by a soft constraint; pods on a host are counted by node.

    Its twin is `spread_scoring.score`.
    """
    line, base, extra = slots[item[layout.LINE]], item[layout.FIRST], float(item[layout.WEIGHT] - 1)
    is_host, counted = item[layout.OWN], item[layout.SUMS]
    for place in range(fit):
        row = rows[place]
        slot = line[row]
        if slot >= 0:
            pods = 0
            if counted >= 0:
                pods = sums[counted + slot]
            elif base >= 0:
                pods = cells[base + (row if is_host else slot)]
            worth[place] += pods * weight + extra


@compiling.part
def add_turned(
    worth: Floats, weight: int, fit: int, is_ignored: Mask, raw: Ints, totals: Ints
) -> None:
    """Invert the scores of constraints: the least is best. Twin: `spread_scoring.normalize`."""
    least, most = _MOST, 0
    for place in range(fit):
        if not is_ignored[place]:
            whole = int(worth[place])
            raw[place] = whole + 1 if worth[place] - whole >= 0.5 else whole
            least, most = min(least, raw[place]), max(most, raw[place])
    if not most:
        least, most = 0, 1
    # NOTE: the quotient of numbers below 2^52 is never rounded up to the next whole one, and
    # takes a third of the time of dividing integers.
    for place in range(fit):
        if not is_ignored[place]:
            totals[place] += int(100 * (most + least - raw[place]) / most) * weight


@compiling.part
def best(totals: Ints, rows: Ints, order: Ints, by_row: bool, fit: int) -> int:
    """The place of the greatest, of several the first in order. Its twin is `selection.pick`."""
    chosen = 0
    key = order[rows[0] if by_row else 0]
    for place in range(1, fit):
        other = order[rows[place] if by_row else place]
        if totals[place] > totals[chosen] or (totals[place] == totals[chosen] and other < key):
            chosen, key = place, other
    return chosen


@compiling.cached
def stamp() -> int:
    """Of which layout the kernels are."""
    return layout.STAMP


def get_ready() -> None:
    """Have the kernels compiled, or read from disk if they are of the present layout."""
    compiling.get_ready(place_all, take_back, stamp)
