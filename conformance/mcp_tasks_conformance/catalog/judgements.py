"""What a step is judged on: its expectations, and the requirements that they prove."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mcp_tasks_conformance.catalog.grammar import Verb
from mcp_tasks_conformance.catalog.matchers import SAME_VALUE
from mcp_tasks_conformance.catalog.model import Expectation, Place, Requirement, Template
from mcp_tasks_conformance.catalog.names import Scope
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.records import Record, text
from mcp_tasks_conformance.catalog.source import Member, Value
from mcp_tasks_conformance.catalog.templates import Templates

ITEM_KEYS = ("that", "proves", "because", "else_warn", "else_not_applicable")
_SAME_DUTY = {"server": "receiver", "client": "requestor"}
"""Of generation v2: who is under test there, in the words of the rules that hold for both generations."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What the scenarios of a suite stand on; empty where the suite's head is wrong."""

    generation: str
    party: str
    hosts: tuple[str, ...]
    requirements: Mapping[str, Requirement]
    schemas: Collection[str]

    @property
    def parties(self) -> frozenset[str]:
        """The parties whose requirements the target can be held to."""
        also = {_SAME_DUTY[self.party]} if self.party in _SAME_DUTY else set()
        return frozenset({self.party, "both", *self.hosts, *also})


@dataclass(frozen=True, slots=True)
class Judgement:
    """All that a step says of judging."""

    expect: tuple[Expectation, ...] = ()
    proves: tuple[str, ...] = ()
    because: str | None = None
    control: str | None = None


class Judgements:
    """Reads ``expect``, ``proves``, ``because`` and ``control``."""

    def __init__(self, ground: Ground, templates: Templates, problems: Problems) -> None:
        self._ground = ground
        self._templates = templates
        self._problems = problems

    def read(self, verb: Verb, place: Place, keys: Mapping[str, Member], scope: Scope) -> Judgement:
        """Read what a step with this verb is judged on.

        Args:
            verb: the step's verb.
            place: where the step stands.
            keys: the step's common keys.
            scope: the names that expectations may use.
        """
        if not verb.judges:
            for name in ("expect", "proves", "because", "control"):
                if name in keys:
                    hint = "judge it in a step of its own"
                    self._problems.add(keys[name].place, f"`{verb.name}` is not judged, so it has no `{name}`", hint)
            return Judgement()
        expect = keys.get("expect")
        proves = self._proves(keys["proves"].value) if "proves" in keys else ()
        because = text(keys["because"].value, "`because`", self._problems) if "because" in keys else None
        control = self._control(keys["control"].value) if "control" in keys else None
        expectations: tuple[Expectation, ...] = ()
        if expect is not None and verb.members is None:
            hint = "`proves` alone judges whether it holds"
            self._problems.add(expect.place, f"`{verb.name}` gives nothing that could match", hint)
        elif expect is not None and isinstance(expect.value.data, tuple):
            expectations = self._items(verb, expect.value, keys, scope)
            proves = tuple(dict.fromkeys(id_ for expectation in expectations for id_ in expectation.proves))
        elif expect is not None:
            that = self._pattern(verb, expect.value, scope)
            expectations = (Expectation(that, proves, expect.value.place, because),)
        self._check_whole(verb, place, keys, judged=bool(expect) or "proves" in keys, proven=bool(proves))
        return Judgement(expectations, proves, because, control)

    def _check_whole(self, verb: Verb, place: Place, keys: Mapping[str, Member], *, judged: bool, proven: bool) -> None:
        if "proves" in keys and "expect" not in keys and not verb.judged_by_itself:
            problem = f"`{verb.name}` proves nothing by itself: `proves` without `expect`"
            self._problems.add(keys["proves"].place, problem, "say what must match")
        if "because" in keys and not judged:
            self._problems.add(keys["because"].place, "`because` explains nothing here: the step expects nothing")
        if "control" in keys and not proven:
            self._problems.add(keys["control"].place, "`control` without `proves`: nothing here counts for or against")
        if verb.gives is None and not verb.judged_by_itself and not judged:
            self._problems.add(place, f"`{verb.name}` without `expect` does nothing", "say what must match")

    def _items(self, verb: Verb, value: Value, keys: Mapping[str, Member], scope: Scope) -> tuple[Expectation, ...]:
        if "proves" in keys:
            problem = "`proves` beside a list of judgements"
            self._problems.add(keys["proves"].place, problem, "each item of the list says what it proves")
        assert isinstance(value.data, tuple)
        if not value.data:
            self._problems.add(value.place, "`expect` is an empty list")
        return tuple(self._item(verb, item, scope) for item in value.data)

    def _item(self, verb: Verb, value: Value, scope: Scope) -> Expectation:
        item = Record(value, "a judgement", self._problems, ITEM_KEYS, ("that",))
        proves = item.value("proves")
        patterns: dict[str, Template] = {}
        for name in ("that", "else_warn", "else_not_applicable"):
            pattern = item.value(name)
            if pattern is not None:
                patterns[name] = self._pattern(verb, pattern, scope)
        if "else_warn" in patterns and proves is None:
            place = item.place_of("else_warn")
            self._problems.add(place, "`else_warn` without `proves`: there is no check that could warn")
        return Expectation(
            that=patterns.get("that"),
            proves=self._proves(proves) if proves else (),
            place=item.place,
            because=item.optional_text("because"),
            else_warn=patterns.get("else_warn"),
            else_not_applicable=patterns.get("else_not_applicable"),
            has_else_warn="else_warn" in patterns,
            has_else_not_applicable="else_not_applicable" in patterns,
        )

    def _pattern(self, verb: Verb, value: Value, scope: Scope) -> Template:
        if verb.members:
            self._check_members(verb, value)
        return self._templates.pattern(value, scope)

    def _check_members(self, verb: Verb, value: Value) -> None:
        """A member that can never be there would fail every target."""
        if isinstance(value.data, tuple):
            for item in value.data:
                self._check_members(verb, item)
        elif isinstance(value.data, dict):
            for name, member in value.data.items():
                if name in SAME_VALUE:
                    self._check_members(verb, member.value)
                elif name not in (verb.members or ()) and not name.startswith("$"):
                    problem = f"what `{verb.name}` is judged on has no `{name}`"
                    self._problems.add(member.place, problem, suggestion(name, verb.members or ()))

    def _control(self, value: Value) -> str | None:
        method = text(value, "`control`", self._problems)
        if method is not None and method.startswith("$"):
            self._problems.add(value.place, "`control` is a method, not a reference")
        return method

    def _proves(self, value: Value) -> tuple[str, ...]:
        named = value.data if isinstance(value.data, tuple) else (value,)
        if not named:
            self._problems.add(value.place, "`proves` is an empty list")
        found: dict[str, None] = {}
        for item in named:
            name = text(item, "`proves`", self._problems)
            if name is None:
                continue
            if name in found:
                self._problems.add(item.place, f"`{name}` stands here twice")
            found[name] = None
            self._check_requirement(name, item.place)
        return tuple(found)

    def _check_requirement(self, name: str, place: Place) -> None:
        ground = self._ground
        requirement = ground.requirements.get(name)
        if requirement is None:
            self._problems.add(place, f"unknown requirement `{name}`", suggestion(name, ground.requirements))
            return
        if not requirement.testable:
            self._problems.add(place, f"`{name}` cannot be tested", requirement.why)
        if ground.generation and requirement.generation not in ("both", ground.generation):
            problem = f"`{name}` is of generation {requirement.generation}, the suite of {ground.generation}"
            self._problems.add(place, problem)
        if ground.party and requirement.party not in ground.parties:
            problem = f"`{name}` binds the {requirement.party}, the suite tests the {ground.party}"
            hosts = f" (played by {' or '.join(ground.hosts)})" if ground.hosts else ""
            self._problems.add(place, problem + hosts)
