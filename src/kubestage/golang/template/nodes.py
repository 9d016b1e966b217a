"""The tree of a template. ``str`` of a node is its source text, for errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from kubestage.golang.template.literals import Constant


@dataclass(slots=True, eq=False)
class Node:
    """Anything in the tree; `position` counts characters of the whole text."""

    position: int


@dataclass(slots=True, eq=False)
class Text(Node):
    """Text that is printed unchanged."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True, eq=False)
class Dot(Node):
    """The current value."""

    def __str__(self) -> str:
        return "."


@dataclass(slots=True, eq=False)
class Nil(Node):
    """The constant that is no value."""

    def __str__(self) -> str:
        return "nil"


@dataclass(slots=True, eq=False)
class Bool(Node):
    """True or false."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(slots=True, eq=False)
class String(Node):
    """A quoted text and its value."""

    quoted: str
    value: str

    def __str__(self) -> str:
        return self.quoted


@dataclass(slots=True, eq=False)
class Number(Node):
    """A number constant."""

    constant: Constant

    def __str__(self) -> str:
        return self.constant.text


@dataclass(slots=True, eq=False)
class Identifier(Node):
    """The name of a function."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True, eq=False)
class Field(Node):
    """A chain of names looked up from the current value."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names)


@dataclass(slots=True, eq=False)
class Variable(Node):
    """A variable and a chain of names looked up from it."""

    name: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.name, *self.names))


@dataclass(slots=True, eq=False)
class Chain(Node):
    """A chain of names looked up from the value of another node."""

    node: Operand
    names: tuple[str, ...]

    def __str__(self) -> str:
        start = f"({self.node})" if isinstance(self.node, Pipeline) else str(self.node)
        return start + "".join(f".{name}" for name in self.names)


@dataclass(slots=True, eq=False)
class Command(Node):
    """An operand with the arguments that follow it."""

    operands: list[Operand] = field(default_factory=list)

    def __str__(self) -> str:
        return " ".join(
            f"({each})" if isinstance(each, Pipeline) else str(each) for each in self.operands
        )


@dataclass(slots=True, eq=False)
class Pipeline(Node):
    """Commands, each with the value of the one before as its last argument; may set variables."""

    commands: list[Command] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    assigns: bool = False

    def __str__(self) -> str:
        commands = " | ".join(map(str, self.commands))
        if not self.variables:
            return commands
        sign = "=" if self.assigns else ":="
        return f"{', '.join(map(str, self.variables))} {sign} {commands}"


@dataclass(slots=True, eq=False)
class Action(Node):
    """A pipeline whose value is printed."""

    pipeline: Pipeline

    def __str__(self) -> str:
        return f"{{{{{self.pipeline}}}}}"


@dataclass(slots=True, eq=False)
class Branch(Node):
    """What `if`, `with` and `range` have in common."""

    pipeline: Pipeline
    body: Body
    otherwise: Body | None

    @property
    def word(self) -> str:
        """The keyword that begins it."""
        return type(self).__name__.lower()

    def __str__(self) -> str:
        body = "".join(map(str, self.body))
        otherwise = ""
        if self.otherwise is not None:
            otherwise = "{{else}}" + "".join(map(str, self.otherwise))
        return f"{{{{{self.word} {self.pipeline}}}}}{body}{otherwise}{{{{end}}}}"


class If(Branch):
    """One of two bodies, by the truth of a value."""

    __slots__ = ()


class With(Branch):
    """As `If`, and the value becomes the current one."""

    __slots__ = ()


class Range(Branch):
    """A body for each element, or the other one if there is none."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Call(Node):
    """Another template, run on a value."""

    name: str
    quoted: str
    pipeline: Pipeline | None

    def __str__(self) -> str:
        pipeline = f" {self.pipeline}" if self.pipeline is not None else ""
        return f"{{{{template {self.quoted}{pipeline}}}}}"


@dataclass(slots=True, eq=False)
class Break(Node):
    """Leave the loop."""

    def __str__(self) -> str:
        return "{{break}}"


@dataclass(slots=True, eq=False)
class Continue(Node):
    """Go on with the next element."""

    def __str__(self) -> str:
        return "{{continue}}"


Operand: TypeAlias = (
    Dot | Nil | Bool | String | Number | Identifier | Field | Variable | Chain | Pipeline
)
Statement: TypeAlias = Text | Action | If | With | Range | Call | Break | Continue
Body: TypeAlias = list[Statement]
