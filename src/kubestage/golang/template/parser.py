"""Tokens to a tree, by the grammar of Go's ``text/template``.

Variables are checked here: a name that no enclosing action declared is an error before anything
runs. So are functions, whose names must be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang.quote import quote
from kubestage.golang.template import lexer, literals, nodes, operands, tokens

if TYPE_CHECKING:
    from collections.abc import Container

    from kubestage.golang.template.failures import TemplateError
    from kubestage.golang.template.tokens import Token

_MAY_NAME_FUNCTIONS: Final = ("break", "continue")
_BRANCHES: Final[dict[str, type[nodes.If | nodes.With | nodes.Range]]] = {
    "if": nodes.If,
    "with": nodes.With,
    "range": nodes.Range,
}


def parse(text: str, name: str, functions: Container[str]) -> dict[str, nodes.Body]:
    """The bodies of a template and of those that it defines, by name."""
    reserved = tokens.KEYWORDS - {each for each in _MAY_NAME_FUNCTIONS if each in functions}
    reader = operands.Reader(lexer.Lexer(text, reserved).read_all(), name, functions)
    bodies = _Parser(reader)
    bodies.parse_all()
    return bodies.definitions


class _Parser:
    """Builds the bodies of all templates in one text."""

    def __init__(self, reader: operands.Reader) -> None:
        self._reader = reader
        self._range_depth = 0
        self.definitions: dict[str, nodes.Body] = {}

    def parse_all(self) -> None:
        """Read to the end."""
        reader = self._reader
        body: nodes.Body = []
        while reader.peek().kind != tokens.EOF:
            if reader.at_define():
                self._definition()
                continue
            statement, word = self._statement()
            if statement is None:
                raise reader.error(f"unexpected {{{{{word}}}}}")
            body.append(statement)
        self._add(reader.name, body)

    def _definition(self) -> None:
        reader, context = self._reader, "define clause"
        token = reader.next_non_space()
        if token.kind not in (tokens.STRING, tokens.RAW_STRING):
            raise reader.unexpected(token, context)
        name = self._unquoted(token)
        reader.expect(tokens.RIGHT_DELIMITER, context)
        self._add(name, self._separate_body(context))

    def _separate_body(self, context: str) -> nodes.Body:
        """A body in which no outer variable is known."""
        reader = self._reader
        outer, depth = reader.variables, self._range_depth
        reader.variables, self._range_depth = ["$"], 0
        body, word = self._body()
        reader.variables, self._range_depth = outer, depth
        if word != "end":
            raise reader.error(f"unexpected {{{{{word}}}}} in {context}")
        return body

    def _add(self, name: str, body: nodes.Body) -> None:
        known = self.definitions.get(name)
        if known is None or _is_empty(known):
            self.definitions[name] = body
        elif not _is_empty(body):
            quoted = quote(name)
            raise self._reader.error(f"template: multiple definition of template {quoted}")

    def _body(self) -> tuple[nodes.Body, str]:
        """Statements up to the ``end`` or ``else`` that closes them, and which it is."""
        reader = self._reader
        reader.enter()
        body: nodes.Body = []
        while reader.peek_non_space().kind != tokens.EOF:
            statement, word = self._statement()
            if statement is None:
                reader.leave()
                return body, word
            body.append(statement)
        raise reader.error("unexpected EOF")

    def _statement(self) -> tuple[nodes.Statement | None, str]:
        """A statement, or else the keyword ``end`` or ``else``."""
        reader = self._reader
        token = reader.next_non_space()
        if token.kind == tokens.TEXT:
            return nodes.Text(token.position, token.text), ""
        if token.kind != tokens.LEFT_DELIMITER:
            raise reader.unexpected(token, "input")
        reader.action_line = token.line
        action = self._action()
        reader.action_line = 0
        return action

    def _action(self) -> tuple[nodes.Statement | None, str]:
        reader = self._reader
        token = reader.next_non_space()
        if token.kind in _BRANCHES:
            return self._branch(token.kind), ""
        match token.kind:
            case "end":
                reader.expect(tokens.RIGHT_DELIMITER, "end")
                return None, "end"
            case "else":
                if reader.peek_non_space().kind not in ("if", "with"):
                    reader.expect(tokens.RIGHT_DELIMITER, "else")
                return None, "else"
            case "break" | "continue":
                return self._jump(token), ""
            case "template":
                return self._call(), ""
            case "block":
                return self._block(), ""
        reader.step_back(token)
        start = reader.peek().position
        return nodes.Action(start, reader.pipeline("command", tokens.RIGHT_DELIMITER)), ""

    def _jump(self, token: Token) -> nodes.Break | nodes.Continue:
        reader, shown = self._reader, f"{{{{{token.kind}}}}}"
        following = reader.next_non_space()
        if following.kind != tokens.RIGHT_DELIMITER:
            raise reader.unexpected(following, shown)
        if not self._range_depth:
            raise reader.error(f"{shown} outside {{{{range}}}}")
        return (nodes.Break if token.kind == "break" else nodes.Continue)(token.position)

    def _branch(self, word: str) -> nodes.If | nodes.With | nodes.Range:
        reader = self._reader
        declared = len(reader.variables)
        pipeline = reader.pipeline(word, tokens.RIGHT_DELIMITER)
        is_range = word == "range"
        self._range_depth += is_range
        body, end = self._body()
        self._range_depth -= is_range
        otherwise: nodes.Body | None = None
        if end == "else":
            otherwise = self._otherwise(word)
        del reader.variables[declared:]
        return _BRANCHES[word](pipeline.position, pipeline, body, otherwise)

    def _otherwise(self, word: str) -> nodes.Body:
        reader = self._reader
        if word != "range" and reader.peek_non_space().kind == word:
            # "else if" stands for an "if" within the "else", and their "end" is one.
            reader.next_non_space()
            reader.enter()
            branch = self._branch(word)
            reader.leave()
            return [branch]
        body, end = self._body()
        if end != "end":
            raise reader.error(f"expected end; found {{{{{end}}}}}")
        return body

    def _call(self) -> nodes.Call:
        reader, context = self._reader, "template clause"
        token, name = self._template_name(context)
        pipeline = None
        following = reader.next_non_space()
        if following.kind != tokens.RIGHT_DELIMITER:
            reader.step_back(following)
            pipeline = reader.pipeline(context, tokens.RIGHT_DELIMITER)
        return nodes.Call(token.position, name, quote(name), pipeline)

    def _block(self) -> nodes.Call:
        context = "block clause"
        token, name = self._template_name(context)
        pipeline = self._reader.pipeline(context, tokens.RIGHT_DELIMITER)
        self._add(name, self._separate_body(context))
        return nodes.Call(token.position, name, quote(name), pipeline)

    def _template_name(self, context: str) -> tuple[Token, str]:
        token = self._reader.next_non_space()
        if token.kind not in (tokens.STRING, tokens.RAW_STRING):
            raise self._reader.unexpected(token, context)
        return token, self._unquoted(token)

    def _unquoted(self, token: Token) -> str:
        try:
            return literals.unquote(token.text)
        except ValueError as problem:
            raise self._error(problem) from problem

    def _error(self, problem: ValueError) -> TemplateError:
        return self._reader.error(str(problem))


def _is_empty(body: nodes.Body) -> bool:
    return all(isinstance(each, nodes.Text) and not each.text.strip() for each in body)
