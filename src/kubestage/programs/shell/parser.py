"""Parsing a script, as POSIX shells do, as far as test pods write them."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.programs.shell.syntax import (
    Background,
    Case,
    Either,
    For,
    Function,
    Group,
    If,
    Literal,
    Pipeline,
    Redirection,
    Simple,
    While,
)
from kubestage.programs.shell.words import Words

if TYPE_CHECKING:
    from kubestage.programs.shell.syntax import Command, Script, Word

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=")
_FUNCTION: Final = re.compile(r"([A-Za-z_][\w-]*)[ \t]*\([ \t]*\)\s*")
_REDIRECTION: Final = re.compile(r"(\d?)(>>|>&|<&|&>|>\||>|<)")
_RESERVED: Final = frozenset(
    {
        "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in", "case",
        "esac", "{", "}",
    }
)  # fmt: skip
_LONGEST: Final = 64 * 1024


@functools.lru_cache(maxsize=512)
def parse(text: str) -> Script:
    """The commands of a script."""
    if len(text) > _LONGEST or "<<" in text:
        raise Unmodelled("here-documents, and scripts that are very long")
    parser = _Parser(text)
    script = parser.script(frozenset())
    if parser.at < len(text):
        raise Unmodelled(f"a script with {text[parser.at :].split(maxsplit=1)[0]!r} there")
    return script


class _Parser(Words):
    def __init__(self, text: str) -> None:
        super().__init__(text, parse)

    def script(self, until: frozenset[str]) -> Script:
        """Commands, up to one of the reserved words or the end."""
        commands: list[Command] = []
        while True:
            self._skip(with_lines=True)
            if self.at >= len(self.text) or self.peek() == ")" or self.peek(2) == ";;":
                return tuple(commands)
            if self._reserved() in until:
                return tuple(commands)
            command = self._list()
            self._skip()
            if self.peek() == "&" and self.peek(2) != "&&":
                self.at += 1
                command = Background(command)
            elif self.peek() == ";" and self.peek(2) != ";;":
                self.at += 1
            commands.append(command)

    def _list(self) -> Command:
        left = self._pipeline()
        while True:
            self._skip()
            operator = self.peek(2)
            if operator not in ("&&", "||"):
                return left
            self.at += 2
            self._skip(with_lines=True)
            left = Either(left, operator, self._pipeline())

    def _pipeline(self) -> Command:
        is_negated = self._reserved() == "!"
        if is_negated:
            self.at += 1
            self._skip()
        commands = [self._command()]
        self._skip()
        while self.peek() == "|" and self.peek(2) != "||":
            self.at += 1
            self._skip(with_lines=True)
            commands.append(self._command())
            self._skip()
        if len(commands) == 1 and not is_negated:
            return commands[0]
        return Pipeline(tuple(commands), is_negated)

    def _command(self) -> Command:
        word = self._reserved()
        if word in ("while", "until", "for", "if", "case", "{") or self.peek() == "(":
            command = self._compound(word)
            redirections = self._redirections()
            if isinstance(command, Group):
                return command._replace(redirections=redirections)
            return Group((command,), False, redirections) if redirections else command
        if word in _RESERVED:
            raise Unmodelled(f"a script with {word!r} there")
        found = _FUNCTION.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            return Function(found[1], self._command())
        return self._simple()

    def _compound(self, word: str) -> Command:
        if self.peek() == "(":
            self.at += 1
            body = self.script(frozenset())
            self._expect(")")
            return Group(body, True, ())
        self.at += len(word)
        if word == "{":
            body = self.script(frozenset({"}"}))
            self._expect("}")
            return Group(body, False, ())
        if word == "if":
            return self._if()
        if word == "for":
            return self._for()
        if word == "case":
            return self._case()
        condition = self.script(frozenset({"do"}))
        self._expect("do")
        body = self.script(frozenset({"done"}))
        self._expect("done")
        return While(condition, body, word == "until")

    def _if(self) -> If:
        condition = self.script(frozenset({"then"}))
        self._expect("then")
        body = self.script(frozenset({"elif", "else", "fi"}))
        word = self._reserved()
        otherwise: Script = ()
        if word == "elif":
            self.at += len(word)
            return If(condition, body, (self._if(),))
        if word == "else":
            self.at += len(word)
            otherwise = self.script(frozenset({"fi"}))
        self._expect("fi")
        return If(condition, body, otherwise)

    def _for(self) -> For:
        self._skip()
        name = "".join(each.text for each in self.word() if isinstance(each, Literal))
        self._skip(with_lines=True)
        words: list[Word] | None = None
        if self._reserved() == "in":
            self.at += 2
            words = []
            self._skip()
            while self.peek() not in ("", ";", "\n"):
                words.append(self._word())
                self._skip()
        if self.peek() == ";":
            self.at += 1
        self._skip(with_lines=True)
        self._expect("do")
        body = self.script(frozenset({"done"}))
        self._expect("done")
        return For(name, None if words is None else tuple(words), body)

    def _case(self) -> Case:
        self._skip()
        word = self._word()
        self._skip(with_lines=True)
        self._expect("in")
        branches: list[tuple[tuple[Word, ...], Script]] = []
        while True:
            self._skip(with_lines=True)
            if self._reserved() == "esac":
                self.at += 4
                return Case(word, tuple(branches))
            if self.peek() == "(":
                self.at += 1
            patterns = [self._word()]
            self._skip()
            while self.peek() == "|":
                self.at += 1
                self._skip()
                patterns.append(self._word())
                self._skip()
            self._expect(")")
            body = self.script(frozenset({"esac"}))
            if self.peek(2) == ";;":
                self.at += 2
            branches.append((tuple(patterns), body))

    def _simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while True:
            self._skip()
            found = _REDIRECTION.match(self.text, self.at)
            if found is not None:
                redirections.append(self._redirection())
                continue
            if self.at >= len(self.text) or self.peek() in "\n;&|)":
                break
            if self.peek() == "(":
                raise Unmodelled("a parenthesis within a command")
            assigned = _ASSIGNMENT.match(self.text, self.at)
            if assigned is not None and not words:
                self.at = assigned.end()
                assignments.append((assigned[1], self.word()))
                continue
            words.append(self._word())
        return Simple(tuple(assignments), tuple(words), tuple(redirections))

    def _redirections(self) -> tuple[Redirection, ...]:
        found = []
        self._skip()
        while _REDIRECTION.match(self.text, self.at):
            found.append(self._redirection())
            self._skip()
        return tuple(found)

    def _redirection(self) -> Redirection:
        found = _REDIRECTION.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        self._skip()
        operator = found[2].replace(">|", ">")
        default = 0 if operator.startswith("<") else 1
        return Redirection(int(found[1]) if found[1] else default, operator, self._word())

    def _word(self) -> Word:
        before = self.at
        word = self.word()
        if self.at == before:
            raise Unmodelled("a script that ends early")
        return word

    def _skip(self, *, with_lines: bool = False) -> None:
        """Skip spaces, comments and, between commands, lines."""
        blank = " \t\n" if with_lines else " \t"
        while self.at < len(self.text):
            if self.text[self.at] in blank:
                self.at += 1
            elif self.peek(2) == "\\\n":
                self.at += 2
            elif self.peek() == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n;"):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def _reserved(self) -> str:
        """The plain word that comes next."""
        found = re.compile(r"[a-z]+(?=[\s;&|()]|$)|[!{}](?=[\s;&|)]|$)").match(self.text, self.at)
        return found[0] if found else ""

    def _expect(self, mark: str) -> None:
        self._skip(with_lines=True)
        if not self.text.startswith(mark, self.at):
            raise Unmodelled(f"a script without {mark!r}")
        self.at += len(mark)
