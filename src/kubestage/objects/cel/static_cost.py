"""What an expression may cost at most, by the types and the largest sizes of its data.

The rules are those of the API server: a definition is accepted or refused by this number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects.cel import sizes, static_calls, syntax
from kubestage.objects.cel.sizes import NONE, ONE, Range

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.cel.checker import Checked
    from kubestage.objects.cel.syntax import Expr

    Path = tuple[str, ...]
    SizeOf = Callable[[Path], Range | None]
    """The size of data at a path that begins with the name of a variable."""

_LIST: Final = sizes.fixed(10)
_MAP: Final = sizes.fixed(30)
_MESSAGE: Final = sizes.fixed(40)


class Entries(NamedTuple):
    """The sizes of the keys and the values of a list or a map."""

    kind: str
    key: Range
    value: Range

    def union(self, other: Entries | None) -> Entries | None:
        """What holds both."""
        if other is None:
            return None
        return Entries(self.kind, self.key.union(other.key), self.value.union(other.value))


class _Local(NamedTuple):
    """A variable of a loop: which data it is, its size and the sizes of what is in it."""

    path: Path
    size: Range | None = None
    entries: Entries | None = None


def estimate(checked: Checked, size_of: SizeOf) -> Range:
    """The least and the most that an expression can cost."""
    return Estimate(checked, size_of).cost(checked.root)


class Estimate:
    """One walk over one expression."""

    def __init__(self, checked: Checked, size_of: SizeOf) -> None:
        self.checked = checked
        self._size_of = size_of
        self._locals: dict[str, list[_Local]] = {}
        self._paths: dict[Expr, Path] = {}
        self._sizes: dict[Expr, Range] = {}
        self._entries: dict[Expr, Entries] = {}

    def cost(self, expression: Expr) -> Range:
        """The cost of a part."""
        if isinstance(expression, syntax.Constant):
            return NONE
        if isinstance(expression, syntax.Ident):
            self._paths[expression] = self._ident_path(expression.name)
            return ONE
        if isinstance(expression, syntax.Select):
            return self._select(expression)
        if isinstance(expression, syntax.Call):
            return self._call(expression)
        if isinstance(expression, syntax.ListOf):
            return self._list(expression)
        if isinstance(expression, syntax.MapOf):
            return self._map(expression)
        assert isinstance(expression, syntax.Loop)
        return self._binding(expression) if expression.is_binding else self._loop(expression)

    def path(self, expression: Expr) -> Path:
        """Where the data of a part is; empty if it is computed."""
        if isinstance(expression, syntax.Ident) and self._locals.get(expression.name):
            return self._locals[expression.name][-1].path
        return self._paths.get(expression, ())

    def size_at(self, path: Path) -> Range | None:
        """The size of data."""
        return self._size_of(path) if path else None

    def size(self, expression: Expr) -> Range:
        """The size of a part's value."""
        found = self._size(expression)
        return sizes.UNKNOWN if found is None else found

    def known_size(self, expression: Expr) -> Range | None:
        """As `size`, or nothing."""
        return self._size(expression)

    def entries(self, expression: Expr) -> Entries | None:
        """The sizes of what is in a part's value."""
        found = self._entries.get(expression)
        if found is None and isinstance(expression, syntax.Ident):
            known = self._locals.get(expression.name)
            found = known[-1].entries if known else None
        return found

    def note_entries(self, expression: Expr, found: Entries | None) -> None:
        """Remember the sizes of what is in a part's value."""
        if found is not None:
            self._entries[expression] = found

    def _size(self, expression: Expr) -> Range | None:
        known = self._sizes.get(expression) or _written(expression)
        if known is not None:
            return known
        known = self.size_at(self.path(expression))
        if known is not None:
            self._sizes[expression] = known
            return known
        if self.checked.type_of(expression).is_scalar:
            return ONE
        if isinstance(expression, syntax.Ident) and self._locals.get(expression.name):
            return self._locals[expression.name][-1].size
        return None

    def _ident_path(self, name: str) -> Path:
        known = self._locals.get(name)
        return known[-1].path if known else (name,)

    def _select(self, select: syntax.Select) -> Range:
        name = syntax.dotted(select)
        if name and self.checked.is_variable(name):
            self._paths[select] = (name,)
            return ONE
        total = self.cost(select.operand)
        if select.is_test:
            return total
        if self.checked.type_of(select.operand).kind in ("map", "struct", "param"):
            total = total.plus(ONE)
        self._paths[select] = (*self.path(select.operand), select.name)
        return total

    def _call(self, call: syntax.Call) -> Range:
        if call.name == "dyn":
            inner = call.arguments[0]
            total = ONE.plus(self.cost(inner))
            self._copy(call, inner)
            return total
        costs = [self.cost(each) for each in call.arguments]
        # An argument's size is what is known of it here, before anything is known of the call.
        overloads = self.checked.overloads_of(call)
        if not overloads:
            return NONE
        total = NONE if call.target is None else self.cost(call.target)
        cost, size = sizes.NOTHING_YET, None
        for overload in overloads:
            found = static_calls.estimate(self, call, overload, costs)
            cost = cost.union(found.cost)
            if found.size is not None:
                size = found.size if size is None else size.union(found.size)
            if overload in ("index_list", "index_map"):
                whole = call.arguments[0]
                inside = self.entries(whole)
                size = None if inside is None else inside.value
                step = "@items" if overload == "index_list" else "@values"
                self._paths[call] = (*self.path(whole), step)
            if size is None:
                size = self._size(call)
        if size is not None:
            self._sizes[call] = size
        return total.plus(cost)

    def _list(self, made: syntax.ListOf) -> Range:
        total, size = _LIST, sizes.NOTHING_YET if made.items else NONE
        for each in made.items:
            total = total.plus(self.cost(each))
            size = size.union(self.size(each))
        self._entries[made] = Entries("list", ONE, size)
        return total

    def _map(self, made: syntax.MapOf) -> Range:
        if made.message:
            total = _MESSAGE
            for _, each_value, _ in made.entries:
                total = total.plus(self.cost(each_value))
            return total
        total = _MAP
        key = value = sizes.NOTHING_YET if made.entries else NONE
        for each_key, each_value, _ in made.entries:
            total = total.plus(self.cost(each_key)).plus(self.cost(each_value))
            key, value = key.union(self.size(each_key)), value.union(self.size(each_value))
        self._entries[made] = Entries("map", key, value)
        return total

    def _loop(self, loop: syntax.Loop) -> Range:
        total = self.cost(loop.over).plus(self.cost(loop.start))
        self._push_value(loop.accumulator, loop.start)
        if loop.second:
            self._push_element(loop.first, loop.over, is_key=True)
            self._push_element(loop.second, loop.over, is_key=False)
        else:
            self._push_element(loop.first, loop.over, is_key=self._kind(loop.over) != "list")
        turn = self.cost(loop.condition)
        turn = self.cost(loop.step).plus(turn)
        self._locals[loop.first].pop()
        if loop.second:
            self._locals[loop.second].pop()
        total = total.plus(self.cost(loop.result))
        self._locals[loop.accumulator].pop()
        turns = self.size(loop.over)
        total = total.plus(turns.times(turn))
        if isinstance(loop.start, syntax.Constant):
            self._note_size(loop, self._size(loop.start))
        elif isinstance(loop.start, syntax.ListOf | syntax.MapOf):
            self._sizes[loop] = turns
            self.note_entries(loop, self.entries(loop.step))
        return total

    def _binding(self, binding: syntax.Loop) -> Range:
        total = self.cost(binding.over).plus(self.cost(binding.start))
        self._push_value(binding.accumulator, binding.start)
        total = total.plus(self.cost(binding.result))
        self._locals[binding.accumulator].pop()
        self._copy(binding, binding.result)
        return total

    def _copy(self, to: Expr, value: Expr) -> None:
        self._note_size(to, self._size(value))
        self.note_entries(to, self.entries(value))

    def _note_size(self, expression: Expr, size: Range | None) -> None:
        if size is not None:
            self._sizes[expression] = size

    def _kind(self, over: Expr) -> str:
        entries = self.entries(over)
        return self.checked.type_of(over).kind if entries is None else entries.kind

    def _push_element(self, name: str, over: Expr, *, is_key: bool) -> None:
        entries, is_list = self.entries(over), self._kind(over) == "list"
        if is_key:
            step, size = "@indices" if is_list else "@keys", entries and entries.key
        else:
            step, size = "@items" if is_list else "@values", entries and entries.value
        local = _Local((*self.path(over), step), size)
        self._locals.setdefault(name, []).append(local)

    def _push_value(self, name: str, value: Expr) -> None:
        local = _Local(self.path(value), self._size(value), self.entries(value))
        self._locals.setdefault(name, []).append(local)


def _written(expression: Expr) -> Range | None:
    """The size of what an expression spells out."""
    if isinstance(expression, syntax.Constant):
        value = expression.value
        return sizes.fixed(len(value) if isinstance(value, (str, bytes)) else 1)
    if isinstance(expression, syntax.ListOf):
        return sizes.fixed(len(expression.items))
    if isinstance(expression, syntax.MapOf) and not expression.message:
        return sizes.fixed(len(expression.entries))
    return None
