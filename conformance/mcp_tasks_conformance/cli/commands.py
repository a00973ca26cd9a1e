"""The commands; each loads what it needs when it is called."""

from __future__ import annotations

import math
from collections.abc import Callable

import click

from mcp_tasks_conformance import __version__

_WIDTH = {"max_content_width": 100}


class FiniteRange(click.FloatRange):
    """A number within bounds; infinity and what is no number are none."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number.

        Raises:
            click.BadParameter: it is none, or out of bounds.
        """
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number", param, ctx)
        return number


class Command(click.Command):
    """A command that takes no empty value: behind most of them is a variable that is not set."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments.

        Raises:
            click.UsageError: an option is empty.
        """
        rest = super().parse_args(ctx, args)
        for option in self.params:
            given = ctx.params.get(option.name or "")
            if given == "" or (isinstance(given, tuple) and "" in given):
                name = max(option.opts, key=len)
                raise click.UsageError(f"{name} is empty: give it a value, or leave it out", ctx)
        return rest


class Commands(click.Group):
    """Commands that tell of broken files by exit code 2 and a line for each problem, of our own defects by 3."""

    command_class = Command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was asked for."""
        from mcp_tasks_conformance.catalog.problems import CatalogError

        try:
            return super().invoke(ctx)
        except CatalogError as broken:
            click.echo(str(broken), err=True)
            raise SystemExit(2) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:
            import traceback

            click.echo(traceback.format_exc(), err=True)
            click.echo("Error: the harness failed, which says nothing of the target. Please report it.", err=True)
            raise SystemExit(3) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], **_WIDTH})
@click.version_option(__version__, message="%(prog)s %(version)s")
def group() -> None:
    """Judge implementations of Tasks in the Model Context Protocol against the specification.

    Exit codes: 0 conformant; 1 violations or a stale baseline; 2 wrong usage or a broken file; 3 could not test.
    """


_TARGET_OPTIONS = (
    click.option(
        "--command", "-c", metavar="COMMAND", help="Start the server with this command; it speaks over stdio."
    ),
    click.option(
        "--http", is_flag=True, help="The command serves HTTP on {port} (in its words, or the variable PORT)."
    ),
    click.option("--path", metavar="PATH", help="With --http: the endpoint's path; /mcp unless said."),
    click.option("--url", "-u", metavar="URL", help="Reach a running server at this URL."),
    click.option(
        "--wait", type=FiniteRange(0), metavar="S", help="With --url: wait so long for the server to come up."
    ),
    click.option(
        "--header", "-H", "headers", multiple=True, metavar="'NAME: VALUE'", help="A header for every request."
    ),
    click.option(
        "--identity",
        "identities",
        multiple=True,
        metavar="NAME='HEADER: VALUE'",
        help="A credential; give two and isolation is judged between them.",
    ),
    click.option("--env", "environment", multiple=True, metavar="NAME=VALUE", help="A variable for the command."),
    click.option("--cwd", type=click.Path(exists=True, file_okay=False), help="The command's working directory."),
    click.option("--implementation", "-i", metavar="NAME", help="A folder of implementations/, by its name."),
    click.option(
        "--transport",
        type=click.Choice(["http", "stdio", "memory"]),
        help="For the bundled reference (http unless said) or --implementation.",
    ),
    click.option("--fault", metavar="NAME", help="Give the bundled reference a fault (`list --faults` shows them)."),
    click.option("--variant", metavar="NAME", help="Give the bundled reference a variant: unusual and permitted."),
    click.option("--husk", metavar="NAME", help="Put a husk in the place of the bundled reference: dead, silent, ..."),
)
"""What is tested, and how it is entered."""


def _of_target(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a target and how it is entered."""
    for option in reversed(_TARGET_OPTIONS):
        command = option(command)
    return command


@group.command("run", context_settings=_WIDTH)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@_of_target
@click.option(
    "--profile",
    metavar="NAME|FILE",
    help="Which tools show which behaviours: reference, official, a file, or auto, which tries them (so unless said).",
)
@click.option(
    "--try-tools", is_flag=True, help="Let auto try every tool, whether annotated destructive or of a URL elsewhere."
)
@click.option("--suite", "suites", multiple=True, metavar="GLOB", help="Only these suites: cancel.")
@click.option(
    "--scenario", "-s", "scenarios", multiple=True, metavar="GLOB", help="Only these scenarios: '*/cancel/*'."
)
@click.option("--requirement", "-r", "requirements", multiple=True, metavar="GLOB", help="Only what proves these.")
@click.option(
    "--level", "levels", multiple=True, metavar="LEVEL", help="Only what proves this level: must, should, ..."
)
@click.option("--generation", type=click.Choice(["v1"]), help="Only this generation.")
@click.option(
    "--intensity",
    type=click.Choice(["normal", "full"]),
    help="full: load and hostile input too. Full unless said, but for a URL that is not on this machine.",
)
@click.option("--jobs", "-j", type=click.IntRange(1), help="Scenarios at once.")
@click.option("--fresh", is_flag=True, help="Every scenario in an instance of its own, one after another.")
@click.option(
    "--start-timeout",
    type=FiniteRange(0.1),
    metavar="S",
    help="How long the target may take to start and answer initialize; 5 s unless said, 30 s for an implementation.",
)
@click.option("--timescale", type=FiniteRange(0.1, 100), help="Stretch all waits; automatic unless said.")
@click.option("--poll-interval", type=FiniteRange(1), metavar="MS", help="Poll so often, whatever the target suggests.")
@click.option(
    "--time-limit",
    type=FiniteRange(0),
    metavar="S",
    help="How long the whole run may last, trials of tools and what is run again included; what was not run by then is"
    " told as such, and the target has a second to stop. Unless said, ample for a target that answers at all; 0 for as"
    " long as it takes.",
)
@click.option(
    "--strict", is_flag=True, help="Broken recommendations (SHOULD) fail the run; permitted readings of a MUST do not."
)
@click.option("--min-proven", type=click.IntRange(0), default=0, help="Fail unless so many MUSTs are proven.")
@click.option("--fail-on", multiple=True, metavar="GLOB", help="Requirements that count although they do not bind.")
@click.option(
    "--baseline",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Failures that are known and do not count; an implementation has its own.",
)
@click.option(
    "--write-baseline",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the baseline that this run would need; reasons of --baseline are kept.",
)
@click.option("--results", type=click.Path(dir_okay=False), metavar="FILE", help="Write results.json here.")
@click.option(
    "--transcripts",
    type=click.Choice(["all", "failing", "none"]),
    help="Which transcripts --results keeps; all unless said.",
)
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report as JUnit XML.")
@click.option("--markdown", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report as Markdown.")
@click.option("--annotations", is_flag=True, help="Print GitHub annotations, and nothing else that GitHub obeys.")
@click.option("--verbose", "-v", is_flag=True, help="A line for every scenario.")
def run(**given: object) -> None:
    """Run the scenarios against a server and name the requirements that it breaks.

    Without a target it runs against the bundled reference server. With FILES it runs the scenarios of these suite files
    instead of the library.
    """
    from mcp_tasks_conformance.cli.running import run_command

    raise SystemExit(run_command(given))


@group.command("profile", context_settings=_WIDTH)
@_of_target
@click.option("--try-tools", is_flag=True, help="Try every tool, whether annotated destructive or of a URL elsewhere.")
@click.option("--start-timeout", type=FiniteRange(0.1), metavar="S", help="As for `run`.")
@click.option("--timescale", type=FiniteRange(0.1, 100), help="Stretch all waits; automatic unless said.")
def profile(**given: object) -> None:
    """Try the tools of a server, one careful call each, and print the start of a profile for it.

    The profile goes to standard output, everything else to standard error.
    """
    from mcp_tasks_conformance.cli.profiling import profile_command

    raise SystemExit(profile_command(given))


@group.command("report", context_settings=_WIDTH)
@click.argument("results", type=click.Path(exists=True, dir_okay=False), metavar="RESULTS")
@click.option(
    "--format",
    "form",
    type=click.Choice(["console", "junit", "markdown", "annotations"]),
    default="console",
    show_default=True,
    help="The form of the report.",
)
@click.option("--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write it here.")
@click.option("--verbose", "-v", is_flag=True, help="On the console, long lists whole.")
def report(results: str, form: str, output: str | None, verbose: bool) -> None:
    """Report on an old run from the file that `run --results` wrote.

    The exit code says whether that could be done, not what the run came to.
    """
    from pathlib import Path

    from mcp_tasks_conformance.cli.reporting import report_command

    raise SystemExit(report_command(Path(results), form, Path(output) if output else None, verbose=verbose))


@group.command("selftest", context_settings=_WIDTH)
@click.option("--fault", "pattern", metavar="PATTERN", help="Only faults, variants and husks of this name.")
@click.option("--full", is_flag=True, help="Every fault over every transport.")
@click.option("--over", "transports", type=click.Choice(["memory", "http", "stdio"]), multiple=True, help="Only these.")
@click.option("--generation", type=click.Choice(["v1"]), help="Only this generation.")
@click.option("--workers", type=click.IntRange(1), help="Worker processes; two for each processor unless said.")
@click.option("--verbose", "-v", is_flag=True, help="A line for every case, with what caught it.")
def selftest(
    pattern: str | None,
    full: bool,
    transports: tuple[str, ...],
    generation: str | None,
    workers: int | None,
    verbose: bool,
) -> None:
    """Prove the suite's own sharpness: every fault caught, no variant blamed, no husk praised."""
    from mcp_tasks_conformance.cli.selftesting import selftest_command

    raise SystemExit(
        selftest_command(
            pattern=pattern,
            full=full,
            transports=transports,
            generation=generation,
            workers=workers,
            verbose=verbose,
        )
    )


@group.command("coverage", context_settings=_WIDTH)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--generation", type=click.Choice(["v1"]), default="v1", help="Only this generation.")
@click.option("--markdown", type=click.Path(dir_okay=False), metavar="FILE", help="Write docs/requirements.md instead.")
@click.option("--run/--no-run", default=True, help="Whether to run the reference and see which proofs are evaluated.")
def coverage(files: tuple[str, ...], generation: str, markdown: str | None, run: bool) -> None:
    """Print what proves each requirement; exit code 1 where a testable one lacks a proof or a fault.

    With FILES it prints what these suite files of your own prove. They are run on the reference and its variants, and
    a proof that none of these ever reaches is a gap.
    """
    from pathlib import Path

    from mcp_tasks_conformance.cli.covering import coverage_command

    page = Path(markdown) if markdown else None
    own = [Path(file) for file in files]
    raise SystemExit(coverage_command(own, generation=generation, markdown=page, run=run))


@group.command("list", context_settings=_WIDTH)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--requirements", "what", flag_value="requirements", help="List requirements instead of scenarios.")
@click.option("--faults", "what", flag_value="faults", help="List the reference's faults, for run --fault.")
@click.option("--variants", "what", flag_value="variants", help="List its variants, for run --variant.")
@click.option("--husks", "what", flag_value="husks", help="List its husks, for run --husk.")
@click.option("--suite", "suites", multiple=True, metavar="GLOB", help="Only these suites.")
@click.option("--scenario", "-s", "scenarios", multiple=True, metavar="GLOB", help="Only these scenarios.")
@click.option("--requirement", "-r", "requirements", multiple=True, metavar="GLOB", help="Only what proves these.")
@click.option(
    "--level", "levels", multiple=True, metavar="LEVEL", help="Only what proves this level: must, should, ..."
)
@click.option("--generation", type=click.Choice(["v1"]), help="Only this generation.")
def list_(files: tuple[str, ...], what: str | None, **given: object) -> None:
    """List the scenarios, the requirements, or what can be made of the bundled reference.

    With FILES it lists what is in these suite files of your own.
    """
    from pathlib import Path

    from mcp_tasks_conformance.catalog.library import load
    from mcp_tasks_conformance.cli.listing import list_command

    library = load(own=[Path(file) for file in files])
    raise SystemExit(list_command(library, what or "scenarios", {**given, "files": files}))


@group.command("show", context_settings=_WIDTH)
@click.argument("names", nargs=-1, required=True, metavar="ID|FILE...")
def show(names: tuple[str, ...]) -> None:
    """Show a requirement with its proofs, or a scenario as a readable story.

    With a suite FILE of your own it shows its scenarios, or those of them that an ID names.
    """
    from mcp_tasks_conformance.cli.browsing import show_command

    raise SystemExit(show_command(names))


@group.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
def check(files: tuple[str, ...]) -> None:
    """Check suites, profiles, baselines and manifests of your own; every problem is told with file, line and column."""
    from pathlib import Path

    from mcp_tasks_conformance.cli.browsing import check_command

    raise SystemExit(check_command(Path(file) for file in files))
