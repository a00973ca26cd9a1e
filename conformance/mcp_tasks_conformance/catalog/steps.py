"""Steps of a scenario: the verb decides what each of them takes, and who may use it."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.arguments import Arguments
from mcp_tasks_conformance.catalog.grammar import Key, Kind, Verb
from mcp_tasks_conformance.catalog.judgements import Ground, Judgements
from mcp_tasks_conformance.catalog.model import Argument, Place, Ref, Step, Template
from mcp_tasks_conformance.catalog.names import NAME, Scope
from mcp_tasks_conformance.catalog.offers import ANY, list_of
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.source import Member, Value, kind_of
from mcp_tasks_conformance.catalog.templates import Templates
from mcp_tasks_conformance.catalog.verbs import COMMON_KEYS, VERBS, WAITING_VERBS


class Steps:
    """Reads the steps of one suite's scenarios."""

    def __init__(self, ground: Ground, problems: Problems) -> None:
        self._ground = ground
        self._problems = problems
        self.templates = Templates(problems, ground.schemas)
        self._arguments = Arguments(self.templates, problems)
        self._judgements = Judgements(ground, self.templates, problems)

    def read(self, value: Value, what: str, scope: Scope) -> tuple[Step, ...]:
        """A list of steps, each of which knows the names of those before it."""
        if not isinstance(value.data, tuple):
            self._problems.add(value.place, f"{what} is a list of steps, not {kind_of(value)}")
            return ()
        if not value.data:
            self._problems.add(value.place, f"{what} has no steps")
        steps = (self._step(item, scope) for item in value.data)
        return tuple(step for step in steps if step is not None)

    def _step(self, value: Value, scope: Scope) -> Step | None:
        verb = self._verb(value)
        if verb is None:
            self._bind_unknown(value, scope)
            return None
        assert isinstance(value.data, dict)
        self._check_use(verb, value.data[verb.name].place)
        keys = self._keys(verb, value.data)
        if verb.subject is not None or isinstance(value.data[verb.name].value.data, dict):
            self._check_presence(verb, value.place, keys)
        subject: Argument = None
        if verb.subject is not None:
            subject = self._argument(verb.subject, f"`{verb.name}`", value.data[verb.name].value, scope)
        arguments = self._all_arguments(verb, value.place, keys, scope)
        via = self._via(verb, value.place, keys, scope)
        judged = self._judgements.read(verb, value.place, keys, scope)
        step = Step(
            verb=verb.name,
            subject=subject,
            keys=arguments,
            expect=judged.expect,
            proves=judged.proves,
            place=value.place,
            via=via,
            gives=self._bind(verb, value.place, keys, scope),
            control=judged.control,
            because=judged.because,
        )
        if verb.name == "connect" and isinstance(subject, str):
            scope.open(subject, value.data[verb.name].value.place)
        return step

    def _verb(self, value: Value) -> Verb | None:
        if not isinstance(value.data, dict):
            self._problems.add(value.place, f"a step is a mapping with a verb, not {kind_of(value)}")
            return None
        verbs = [name for name in value.data if name in VERBS]
        if len(verbs) == 1:
            return VERBS[verbs[0]]
        if verbs:
            listed = " and ".join(f"`{name}`" for name in verbs)
            self._problems.add(value.data[verbs[1]].place, f"one step, {len(verbs)} verbs: {listed}", "split it")
            return None
        others = [name for name in value.data if name not in COMMON_KEYS]
        if others:
            self._problems.add(value.data[others[0]].place, f"unknown verb `{others[0]}`", suggestion(others[0], VERBS))
        else:
            self._problems.add(value.place, "the step has no verb")
        return None

    def _bind_unknown(self, value: Value, scope: Scope) -> None:
        """Bind the name of a step that cannot be read, so that its uses are not problems too."""
        if isinstance(value.data, dict):
            inner = [member.value.data for member in value.data.values() if isinstance(member.value.data, dict)]
            for members in (value.data, *inner):
                given = members.get("as")
                if given is not None and isinstance(given.value.data, str) and given.value.data not in scope:
                    scope.bind(given.value.data, given.value.place, "item")

    def _check_use(self, verb: Verb, place: Place) -> None:
        ground = self._ground
        if ground.generation and ground.generation not in verb.generations:
            allowed = " and ".join(verb.generations)
            self._problems.add(place, f"`{verb.name}` is of generation {allowed}, the suite of {ground.generation}")
        others = [host for host in ground.hosts if host not in verb.sides]
        if others:
            problem = f"`{verb.name}` works only against a {verb.sides[0]}, and `{others[0]}` is a host of the suite"
            self._problems.add(place, problem)

    def _keys(self, verb: Verb, step: Mapping[str, Member]) -> Mapping[str, Member]:
        """The step's keys, wherever they stand."""
        found = {name: member for name, member in step.items() if name != verb.name}
        if verb.subject is not None:
            for name in [name for name in found if name not in verb.keys and name not in COMMON_KEYS]:
                self._unknown(verb, name, found.pop(name))
            return found
        for name in [name for name in found if name not in COMMON_KEYS]:
            member = found.pop(name)
            if name in verb.keys:
                problem = f"`{name}` stands beside `{verb.name}`"
                self._problems.add(member.place, problem, f"it belongs inside: `{verb.name}: {{{name}: ...}}`")
            else:
                self._unknown(verb, name, member)
        record = step[verb.name].value
        if not isinstance(record.data, dict):
            problem = f"`{verb.name}` is a mapping of its keys, not {kind_of(record)}"
            self._problems.add(record.place, problem, "its keys: " + ", ".join(verb.keys))
            return found
        for name, member in record.data.items():
            if name not in verb.keys and name not in COMMON_KEYS:
                self._unknown(verb, name, member)
            elif name in found:
                self._problems.add(member.place, f"`{name}` stands inside and beside `{verb.name}`")
            else:
                found[name] = member
        return found

    def _unknown(self, verb: Verb, name: str, member: Member) -> None:
        hint = suggestion(name, [*verb.keys, *COMMON_KEYS])
        self._problems.add(member.place, f"`{verb.name}` takes no key `{name}`", hint)

    def _check_presence(self, verb: Verb, place: Place, keys: Mapping[str, Member]) -> None:
        for name, key in verb.keys.items():
            if key.required and name not in keys:
                self._problems.add(place, f"`{verb.name}` has no `{name}`", key.meaning)
            if name in keys and key.beside is not None and key.beside not in keys:
                self._problems.add(keys[name].place, f"`{name}` means nothing without `{key.beside}`")
        for group in verb.groups:
            there = [name for name in group.keys if name in keys]
            if len(there) < group.at_least:
                self._problems.add(place, f"`{verb.name}` has no " + " or ".join(f"`{name}`" for name in group.keys))
            elif len(there) > group.at_most:
                self._problems.add(keys[there[-1]].place, f"`{there[-1]}` excludes `{there[0]}`")

    def _all_arguments(self, verb: Verb, place: Place, keys: Mapping[str, Member], scope: Scope) -> dict[str, Argument]:
        if verb.name == "repeat":
            return self._repeat(verb, place, keys, scope)
        return {
            name: self._argument(key, f"`{name}` of `{verb.name}`", keys[name].value, scope)
            for name, key in verb.keys.items()
            if name in keys
        }

    def _argument(self, key: Key, what: str, value: Value, scope: Scope) -> Argument:
        if key.kind is Kind.CONNECTION:
            return self._connection(what, value, scope)
        if key.kind is Kind.BRANCHES:
            return self._branches(what.strip("`"), value, scope)
        return self._arguments.read(key, what, value, scope)

    def _connection(self, what: str, value: Value, scope: Scope) -> str | None:
        if not isinstance(value.data, str) or not NAME.fullmatch(value.data.removeprefix("$")):
            hint = "lower-case words joined by underscores"
            self._problems.add(value.place, f"{what} is the name of a connection, not {kind_of(value)}", hint)
            return None
        if what != "`connect`":
            scope.reach(value.data, value.place)
        elif value.data.startswith("$"):
            self._problems.add(value.place, "a connection is named without a dollar sign")
        return value.data

    def _via(self, verb: Verb, place: Place, keys: Mapping[str, Member], scope: Scope) -> str:
        if "via" in keys:
            if not verb.on_connection or verb.name == "connect":
                self._problems.add(keys["via"].place, f"`{verb.name}` happens on no connection of its own")
                return "main"
            return self._connection("`via`", keys["via"].value, scope) or "main"
        if verb.on_connection and verb.name not in _TAKES_ITS_CONNECTION_ALONG:
            scope.reach("main", place)
        return "main"

    def _bind(self, verb: Verb, place: Place, keys: Mapping[str, Member], scope: Scope) -> str | None:
        if "as" not in keys:
            if verb.must_bind:
                self._problems.add(place, f"`{verb.name}` has no `as`", "a later step needs the name")
            return None
        if verb.gives is None:
            self._problems.add(keys["as"].place, f"`{verb.name}` gives nothing to name")
            return None
        value = keys["as"].value
        name = scope.name(value)
        if name is not None:
            scope.bind(name, value.place, verb.name, offer=verb.offers)
        return name

    def _repeat(self, verb: Verb, place: Place, keys: Mapping[str, Member], scope: Scope) -> dict[str, Argument]:
        arguments: dict[str, Argument] = {}
        for name in ("times", "over", "at_once"):
            if name in keys:
                what = f"`{name}` of `repeat`"
                arguments[name] = self._arguments.read(verb.keys[name], what, keys[name].value, scope)
        inside = scope.inner()
        if "item" in keys and (item := scope.name(keys["item"].value)) is not None:
            over = arguments.get("over")
            values: tuple[Template, ...] | None = over if isinstance(over, tuple) else None  # type: ignore[assignment]
            listed = scope.offer_of(over) if isinstance(over, Ref) else ANY
            inside.bind(item, keys["item"].value.place, "item", values, listed.items or ANY)
            arguments["item"] = item
        if "steps" in keys:
            arguments["steps"] = self.read(keys["steps"].value, "`steps` of `repeat`", inside)
        if "collect" in keys:
            arguments["collect"] = self._collect(keys["collect"].value, inside, scope)
        hint = f"it is bound in each round of the `repeat` in line {place.line}; `collect` hands it out"
        scope.hide(inside, hint)
        return arguments

    def _collect(self, value: Value, inside: Scope, scope: Scope) -> Argument:
        if not isinstance(value.data, dict) or not value.data:
            problem = f"`collect` of `repeat` is a mapping of new names, not {kind_of(value)}"
            self._problems.add(value.place, problem, "as in {ids: $job.taskId}")
            return {}
        collected: dict[str, Template] = {}
        for name, member in value.data.items():
            collected[name] = self.templates.stimulus(member.value, inside)
            if scope.name(Value(name, member.place)) is not None:
                each = collected[name]
                offer = inside.offer_of(each) if isinstance(each, Ref) else ANY
                scope.bind(name, member.place, "collect", offer=list_of(offer))
        return collected

    def _branches(self, verb: str, value: Value, scope: Scope) -> tuple[tuple[Step, ...], ...]:
        if not isinstance(value.data, tuple) or len(value.data) < 2:
            self._problems.add(value.place, f"`{verb}` is a list of at least two branches", "each a list of steps")
            return ()
        branches: list[tuple[Step, ...]] = []
        ended: list[Scope] = []
        for number, branch in enumerate(value.data, 1):
            inside = scope.inner()
            for sibling in ended:
                inside.hide(sibling, f"it is bound in another branch of the same `{verb}`")
            steps = self.read(branch, f"branch {number} of `{verb}`", inside)
            if verb == "await_any" and steps and steps[0].verb not in WAITING_VERBS:
                allowed = ", ".join(sorted(WAITING_VERBS))
                self._problems.add(
                    steps[0].place, f"a branch of `await_any` begins by waiting, not with `{steps[0].verb}`", allowed
                )
            branches.append(steps)
            ended.append(inside)
        for inside in ended:
            if verb == "together":
                scope.absorb(inside)
            else:
                scope.hide(inside, f"it is bound in a branch of the `await_any` in line {value.place.line}")
        return tuple(branches)


_TAKES_ITS_CONNECTION_ALONG = frozenset(
    {"connect", "disconnect", "finish", "still_waiting", "reply", "drop", "drive", "serve"}
)
"""Verbs whose subject says which connection they concern."""
