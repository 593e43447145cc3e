"""The front door: which verbs there are, and how every way of failing ends.

A verb is a click command. Ours are named in ``VERBS`` and imported when somebody asks for them; others join through the
entry-point group ``coordinator.commands``. What a person can cause ends in one sentence with a code and an exit code
(:mod:`coordinator.errors`); a traceback is only for us.
"""

import os
import sys
import traceback
from collections.abc import Mapping, MutableMapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Final

import click

from coordinator import __version__
from coordinator.errors import CoordinatorError, NotText
from coordinator.verbs import show

VERBS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "advise": "coordinator.verbs.advise:advise",
        "check": "coordinator.verbs.check:check",
        "config": "coordinator.verbs.config:config",
        "credentials": "coordinator.verbs.credentials:credentials",
        "history": "coordinator.verbs.history:history",
        "journal": "coordinator.verbs.journal:journal",
        "ladder": "coordinator.verbs.ladder:ladder",
        "match": "coordinator.verbs.match:match",
        "replay": "coordinator.verbs.replay:replay",
        "serve": "coordinator.verbs.serve:serve",
        "simulate": "coordinator.verbs.simulate:simulate",
        "status": "coordinator.verbs.status:status",
        "tourney": "coordinator.verbs.tourney:tourney",
        "verify-deals": "coordinator.verbs.verify_deals:verify_deals",
        "why": "coordinator.verbs.why:why",
    }
)

PLUGINS: Final = "coordinator.commands"
"""The entry-point group through which other packages add verbs."""

INTERRUPTED: Final = 130


class Verbs(click.Group):
    """The group whose verbs are imported late and whose errors end in sentences."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._broken: dict[str, str] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Our verbs and those that joined, by name."""
        return sorted({*VERBS, *_plugins(), *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name; None, after one line of warning, for one that cannot be imported."""
        if cmd_name in VERBS:
            module, _, name = VERBS[cmd_name].partition(":")
            verb: click.Command = getattr(import_module(module), name)
            return verb
        plugin = _plugins().get(cmd_name)
        if plugin is None:
            return super().get_command(ctx, cmd_name)
        return self._plugin(plugin)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with what a misspelt verb may have meant."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            if args[0] in self._broken:
                raise click.UsageError(f"The verb {args[0]!r} cannot be used: {self._broken[args[0]]}", ctx)
            near = get_close_matches(args[0], self.list_commands(ctx), n=1, cutoff=0.6)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and end the process with its exit code."""
        words = sys.argv[1:] if args is None else list(args)
        if not standalone_mode:
            return super().main(words, prog_name, complete_var, False, **extra)
        sys.exit(self._run(words, prog_name, complete_var, extra))

    def _run(
        self,
        words: list[str],
        prog_name: str | None,
        complete_var: str | None,
        extra: MutableMapping[str, Any],
    ) -> int:
        try:
            code = super().main(list(words), prog_name, complete_var, False, **extra)
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except Exception as error:
            return _end(error, words)
        return code if isinstance(code, int) else 0

    def _plugin(self, plugin: EntryPoint) -> click.Command | None:
        if plugin.name in self._broken:
            return None
        try:
            verb = plugin.load()
            if isinstance(verb, click.Command):
                return verb
            reason = f"{plugin.value} is no click command"
        except Exception as error:
            first = str(error).partition("\n")[0]
            reason = f"{type(error).__name__}: {first}"
        self._broken[plugin.name] = reason
        click.echo(f"warning: the verb {plugin.name!r} is left out: {reason}", err=True)
        return None


def _plugins() -> dict[str, EntryPoint]:
    return {plugin.name: plugin for plugin in entry_points(group=PLUGINS)}


def _end(error: Exception, words: Sequence[str]) -> int:
    """Say what happened and return the exit code."""
    known = _ours(error) or _not_text(error, words)
    if known is not None:
        problems = getattr(known, "problems", ())
        if problems:
            for problem in problems:
                show.say(str(problem), err=True)
            count = "one mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
            click.echo(f"error: {count}, nothing was done [{known.code}]", err=True)
        else:
            show.say(f"error: {known} [{known.code}]", err=True)
        return known.exit_code
    show.say(f"error: {type(error).__name__}: {str(error).partition(chr(10))[0]} [bug]", err=True)
    if _wants_traceback(words):
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    else:
        click.echo("this is our bug, please report it; --log-level debug shows where it is", err=True)
    return CoordinatorError.exit_code


def _ours(error: BaseException) -> CoordinatorError | None:
    """The error of our family in ``error``, if nothing but such errors is in it."""
    if isinstance(error, CoordinatorError):
        return error
    if isinstance(error, BaseExceptionGroup):
        inner = [_ours(each) for each in error.exceptions]
        return None if None in inner else inner[0]
    return None


def _not_text(error: BaseException, words: Sequence[str]) -> NotText | None:
    """Bytes that are no text may name a file, and nothing else: whoever had to write them elsewhere has failed."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, (_not_text(each, words) for each in error.exceptions)), None)
    if not isinstance(error, UnicodeEncodeError):
        return None
    unsaid = error.object[error.start : error.end]
    if not "\ud800" <= unsaid[:1] <= "\udfff":
        return None
    return next((NotText(word) for word in (*words, *os.environ.values()) if unsaid in word), None)


def _wants_traceback(words: Sequence[str]) -> bool:
    line = " ".join(words)
    return "--log-level debug" in line or "--log-level=debug" in line


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="coordinator", message="%(prog)s %(version)s")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    expose_value=False,
    help="With debug, an unexpected error shows where it happened.",
)
def cli() -> None:
    """Run tournaments for card games that are played on other servers."""
