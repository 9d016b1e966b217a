"""``kubestage load CONFIG`` beside ``kubestage load find-limit``: a group with a usual command."""

from __future__ import annotations

from typing import Any, Final

from kubestage.cli import help_page, load_foreign_flags

USUAL: Final = "run"


class LoadGroup(help_page.Group):
    """Reads the first word as a command if it is one, else as a configuration."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command before words that name none."""
        named = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if named else [USUAL, *args])


class LoadCommand(help_page.Command):
    """Reads flags as ClusterLoader2 writes them, and names those that it does not have."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse flags without a meaning, with what to do instead."""
        args = load_foreign_flags.translated(args)
        load_foreign_flags.refuse(args)
        return super().parse_args(ctx, args)


class UsualCommand(LoadCommand):
    """Has the name of its group: the user need not know that there is a group."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """The context, named as the group's."""
        if parent is not None:
            info_name, parent = parent.info_name, parent.parent
        return super().make_context(info_name, args, parent=parent, **extra)
