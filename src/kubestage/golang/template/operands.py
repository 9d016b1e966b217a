"""Reads pipelines, commands and operands: the content of one action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang.quote import quote
from kubestage.golang.template import literals, nodes, tokens
from kubestage.golang.template.failures import TemplateError

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from kubestage.golang.template.tokens import Token

_BEGINS_COMMAND: Final = frozenset(
    (
        tokens.BOOL,
        tokens.CHAR_CONSTANT,
        tokens.COMPLEX,
        tokens.DOT,
        tokens.FIELD,
        tokens.IDENTIFIER,
        tokens.NUMBER,
        "nil",
        tokens.RAW_STRING,
        tokens.STRING,
        tokens.VARIABLE,
        tokens.LEFT_PARENTHESIS,
    )
)
# Go's parser goes as deep as its stack; a tree is walked by functions that call themselves.
_DEEPEST: Final = 100
_CANNOT_RUN: Final = (nodes.Bool, nodes.Dot, nodes.Nil, nodes.Number, nodes.String)


class Reader:
    """Reads the tokens of a template; knows which variables are in scope."""

    def __init__(self, stream: Sequence[Token], name: str, functions: Container[str]) -> None:
        self._tokens = stream
        self._at = 0
        self._furthest = 0
        self._functions = functions
        self.name = name
        self.variables = ["$"]
        self.action_line = 0
        self._depth = 0

    def error(self, problem: str) -> TemplateError:
        """An error at the last token that was read."""
        return TemplateError(problem, name=self.name, line=self._tokens[self._furthest].line)

    def unexpected(self, token: Token, context: str) -> TemplateError:
        """An error about an unexpected token."""
        if token.kind != tokens.ERROR:
            return self.error(f"unexpected {token} in {context}")
        extra = ""
        if self.action_line not in (0, token.line):
            extra = f" in action started at {self.name}:{self.action_line}"
            if token.text.endswith(" action"):
                extra = extra.removeprefix(" in action")
        return self.error(f"{token}{extra}")

    def peek(self) -> Token:
        """The next token, space included."""
        self._furthest = max(self._furthest, self._at)
        return self._tokens[self._at]

    def next(self) -> Token:
        """Take the next token, space included."""
        token = self.peek()
        if self._at < len(self._tokens) - 1:
            self._at += 1
        return token

    def next_non_space(self) -> Token:
        """Take the next token that is not space."""
        while True:
            token = self.next()
            if token.kind != tokens.SPACE:
                return token

    def peek_non_space(self) -> Token:
        """The next token that is not space; space before it is taken."""
        while self.peek().kind == tokens.SPACE:
            self._at += 1
        return self.peek()

    def step_back(self, token: Token) -> None:
        """Give back the token that was taken last; `EOF` is never used up."""
        if token.kind not in (tokens.EOF, tokens.ERROR):
            self._at -= 1

    def at_define(self) -> bool:
        """Take ``{{define``, if that comes next."""
        start = self._at
        if self.next().kind == tokens.LEFT_DELIMITER and self.next_non_space().kind == "define":
            return True
        self._at = start
        return False

    def expect(self, kind: str, context: str) -> Token:
        """Take a token that must be of this kind."""
        token = self.next_non_space()
        if token.kind != kind:
            raise self.unexpected(token, context)
        return token

    def enter(self) -> None:
        """Begin a part within another; each has to be left again."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.error("max expression depth exceeded")

    def leave(self) -> None:
        """End a part within another."""
        self._depth -= 1

    def pipeline(self, context: str, end: str) -> nodes.Pipeline:
        """Commands, up to and including the token that ends them."""
        self.enter()
        pipeline = nodes.Pipeline(self.peek_non_space().position)
        self._declarations(pipeline, context)
        while True:
            token = self.next_non_space()
            if token.kind == end:
                self._check(pipeline, context)
                self.leave()
                return pipeline
            if token.kind not in _BEGINS_COMMAND:
                raise self.unexpected(token, context)
            self._at -= 1
            pipeline.commands.append(self._command())

    def _declarations(self, pipeline: nodes.Pipeline, context: str) -> None:
        while self.peek_non_space().kind == tokens.VARIABLE:
            start = self._at
            variable = self.next()
            following = self.peek_non_space()
            if following.kind in (tokens.ASSIGN, tokens.DECLARE):
                pipeline.assigns = following.kind == tokens.ASSIGN
                self.next()
                self._declare(pipeline, variable)
                return
            if following.kind != tokens.CHAR or following.text != ",":
                self._at = start
                return
            self.next()
            self._declare(pipeline, variable)
            if context != "range" or len(pipeline.variables) > 1:
                raise self.error(f"too many declarations in {context}")
            after = (tokens.VARIABLE, tokens.RIGHT_DELIMITER, tokens.RIGHT_PARENTHESIS)
            if self.peek_non_space().kind not in after:
                raise self.error("range can only initialize variables")

    def _declare(self, pipeline: nodes.Pipeline, token: Token) -> None:
        pipeline.variables.append(nodes.Variable(token.position, token.text))
        self.variables.append(token.text)

    def _check(self, pipeline: nodes.Pipeline, context: str) -> None:
        if not pipeline.commands:
            raise self.error(f"missing value for {context}")
        for stage, command in enumerate(pipeline.commands[1:], 2):
            if isinstance(command.operands[0], _CANNOT_RUN):
                raise self.error(f"non executable command in pipeline stage {stage}")

    def _command(self) -> nodes.Command:
        command = nodes.Command(self.peek_non_space().position)
        while True:
            self.peek_non_space()
            operand = self._operand()
            if operand is not None:
                command.operands.append(operand)
            token = self.next()
            if token.kind == tokens.SPACE:
                continue
            if token.kind in (tokens.RIGHT_DELIMITER, tokens.RIGHT_PARENTHESIS):
                self.step_back(token)
            elif token.kind != tokens.PIPE:
                raise self.unexpected(token, "operand")
            break
        if not command.operands:
            raise self.error("empty command")
        return command

    def _operand(self) -> nodes.Operand | None:
        node = self._term()
        if node is None or self.peek().kind != tokens.FIELD:
            return node
        # Upstream places a longer chain at its second name, and so do its errors.
        position = self.peek().position
        names: list[str] = []
        while self.peek().kind == tokens.FIELD:
            names.append(self.next().text[1:])
        if isinstance(node, nodes.Field):
            return nodes.Field(position, (*node.names, *names))
        if isinstance(node, nodes.Variable):
            return nodes.Variable(position, node.name, tuple(names))
        if isinstance(node, _CANNOT_RUN):
            raise self.error(f"unexpected . after term {quote(str(node))}")
        return nodes.Chain(position, node, tuple(names))

    def _term(self) -> nodes.Operand | None:
        start = self._at
        token = self.next_non_space()
        position, text = token.position, token.text
        match token.kind:
            case tokens.IDENTIFIER:
                if text not in self._functions:
                    raise self.error(f"function {quote(text)} not defined")
                return nodes.Identifier(position, text)
            case tokens.DOT:
                return nodes.Dot(position)
            case "nil":
                return nodes.Nil(position)
            case tokens.VARIABLE:
                if text not in self.variables:
                    raise self.error(f"undefined variable {quote(text)}")
                return nodes.Variable(position, text)
            case tokens.FIELD:
                return nodes.Field(position, (text[1:],))
            case tokens.BOOL:
                return nodes.Bool(position, text == "true")
            case tokens.LEFT_PARENTHESIS:
                return self.pipeline("parenthesized pipeline", tokens.RIGHT_PARENTHESIS)
        literal = self._literal(token)
        if literal is None:
            self._at = start
        return literal

    def _literal(self, token: Token) -> nodes.String | nodes.Number | None:
        position, text, kind = token.position, token.text, token.kind
        try:
            if kind in (tokens.CHAR_CONSTANT, tokens.COMPLEX, tokens.NUMBER):
                return nodes.Number(position, literals.number(text, kind))
            if kind in (tokens.STRING, tokens.RAW_STRING):
                return nodes.String(position, text, literals.unquote(text))
        except ValueError as problem:
            raise self.error(str(problem)) from problem
        return None
