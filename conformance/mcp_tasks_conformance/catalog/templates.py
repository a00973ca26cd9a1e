"""Values of a suite as templates: references and matchers recognised, everything else as it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from mcp_tasks_conformance.catalog.matchers import MATCHERS, SAME_VALUE, TAKES_PATTERNS, WRITTEN_OUT, complaint
from mcp_tasks_conformance.catalog.model import Matcher, Place, Ref, Template
from mcp_tasks_conformance.catalog.names import Scope
from mcp_tasks_conformance.catalog.offers import no_task
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.source import Value
from mcp_tasks_conformance.events import JsonValue

_STEP = r'\.(?:"[^"]+"|[^.\s"][^.\s]*)'
REFERENCE = rf"\$[a-z][a-z0-9_]*(?:{_STEP})*"
"""How a reference reads; a member whose name has dots, spaces or digits alone stands in double quotes."""
_INDEX = re.compile(r"-?[0-9]+")


def parse_reference(text: str, place: Place) -> Ref | None:
    """The reference that a text is, or none."""
    if not re.fullmatch(REFERENCE, text):
        return None
    steps = re.findall(_STEP, text)
    name = text[1 : len(text) - len("".join(steps))]
    return Ref(name, tuple(_step(step[1:]) for step in steps), place)


def _step(text: str) -> str | int:
    if text.startswith('"'):
        return text[1:-1]
    return int(text) if _INDEX.fullmatch(text) else text


def escape(value: JsonValue) -> JsonValue:
    """Plain JSON as one writes it in a suite, so that it means itself: a leading dollar sign is doubled."""
    if isinstance(value, str):
        return "$" + value if value.startswith("$") else value
    if isinstance(value, Mapping):
        return {("$" + key if key.startswith("$") else key): escape(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [escape(item) for item in value]
    return value


def references(template: object) -> Iterator[Ref]:
    """Every reference in a template."""
    if isinstance(template, Ref):
        yield template
    elif isinstance(template, Matcher):
        yield from references(template.argument)
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from references(value)
    elif isinstance(template, tuple):
        for item in template:
            yield from references(item)


class Templates:
    """Reads templates; knows which wire schemas a matcher may name."""

    def __init__(self, problems: Problems, schemas: Collection[str]) -> None:
        self._problems = problems
        self._schemas = schemas

    def stimulus(self, value: Value, scope: Scope) -> Template:
        """What we send: references, no matchers."""
        data = value.data
        if isinstance(data, str):
            return self.text(data, value.place, scope)
        if isinstance(data, tuple):
            return tuple(self.stimulus(item, scope) for item in data)
        if not isinstance(data, dict):
            return data
        members: dict[str, Template] = {}
        for key, member in data.items():
            name = key
            if key.startswith("$"):
                name = self._member_name(key, member.place)
            members[name] = self.stimulus(member.value, scope)
        return members

    def pattern(self, value: Value, scope: Scope, member: str | None = None) -> Template:
        """What must match: references and matchers.

        Args:
            value: the pattern.
            scope: the names that references may use.
            member: the member of an object for which the pattern stands, where it stands for one.
        """
        data = value.data
        if isinstance(data, str):
            return self.text(data, value.place, scope)
        if isinstance(data, tuple):
            return tuple(self.pattern(item, scope) for item in data)
        if not isinstance(data, dict):
            return data
        members: dict[str, Template] = {}
        for key, content in data.items():
            if not key.startswith("$"):
                members[key] = self.pattern(content.value, scope, key)
            elif key.startswith("$$"):
                members[key[1:]] = self.pattern(content.value, scope, key[1:])
            elif len(data) > 1:
                hint = f"put several into $all_of, or write `${key}` for a member of that name"
                self._problems.add(content.place, f"`{key}` stands beside other keys", hint)
            else:
                return self._matcher(key, content.place, content.value, scope, member)
        return members

    def reference(self, value: Value, scope: Scope) -> Ref | None:
        """The value as a reference that leads somewhere; none where it is no reference."""
        if not isinstance(value.data, str) or value.data.startswith("$$"):
            return None
        ref = parse_reference(value.data, value.place)
        if ref is not None:
            scope.resolve(ref)
        return ref

    def text(self, text: str, place: Place, scope: Scope) -> Template:
        """A text, or the reference that it is."""
        if not text.startswith("$"):
            return text
        if text.startswith("$$"):
            return text[1:]
        ref = parse_reference(text, place)
        if ref is None:
            self._problems.add(
                place, f"`{text}` is no reference", "`$name.member`; `$$` begins a text with a dollar sign"
            )
            return text
        scope.resolve(ref)
        return ref

    def _member_name(self, key: str, place: Place) -> str:
        if key.startswith("$$"):
            return key[1:]
        if key in MATCHERS:
            problem = f"`{key}` is a matcher, and what is sent has none"
        else:
            problem = f"the key `{key}` begins with a dollar sign"
        self._problems.add(place, problem, f"write `${key}` for a member of that name")
        return key

    def _matcher(self, name: str, place: Place, value: Value, scope: Scope, member: str | None) -> Template:
        if name not in MATCHERS:
            hint = suggestion(name, MATCHERS) or f"write `${name}` for a member of that name"
            self._problems.add(place, f"unknown matcher `{name}`", hint)
            return None
        if name in TAKES_PATTERNS:
            argument = self._patterns(value, scope, member if name in SAME_VALUE else None)
        else:
            argument = self.stimulus(value, scope)
        if name == "$absent" and member is None:
            self._problems.add(place, "`$absent` stands for no member", "as in {error: {$absent: true}}")
        if name == "$related_task" and member != "_meta":
            self._problems.add(
                place, "`$related_task` stands in the place of `_meta`", "as in {_meta: {$related_task: $job}}"
            )
        self._check(name, argument, value.place, scope)
        return Matcher(name, argument, place)

    def _patterns(self, value: Value, scope: Scope, member: str | None) -> Template:
        """The argument of a matcher that takes patterns: a list of them each stands where the matcher stands."""
        if isinstance(value.data, tuple):
            return tuple(self.pattern(item, scope, member) for item in value.data)
        return self.pattern(value, scope, member)

    def _check(self, name: str, argument: Template, place: Place, scope: Scope) -> None:
        values: tuple[Template, ...] | None = (argument,)
        if isinstance(argument, Ref):
            astray = no_task(scope.offer_of(argument), argument) if name == "$related_task" else None
            if astray is not None:
                self._problems.add(place, f"`{name}` is about a task, and {astray.problem}", astray.hint)
            if name in ("$any_of", "$all_of"):
                self._problems.add(place, f"the patterns of `{name}` are written out in a list")
                return
            values = None if name == "$related_task" else scope.values_of(argument)
            if values is None and name in WRITTEN_OUT and argument.name in scope:
                hint = "write it out, or take it from a parameter"
                self._problems.add(place, f"the argument of `{name}` is not known before the run", hint)
        for value in values or ():
            found = complaint(name, value, self._schemas)
            if found is not None:
                self._problems.add(place, *found)
                return
