"""What stands in the way of a proof that was not made: of several reasons the one that decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS

_NO_TOOL: Final = "no tool is known"
_LACKING: Final = re.compile(rf"{_NO_TOOL} for (?P<names>[\w-]+(?:, [\w-]+)*)(?P<why>: .*)?", re.DOTALL)
_KINDS: Final = (
    ("it is about ", "generation "),
    ("stdio has one connection",),
    ("the target ",),
    ("every connection carries",),
    (),  # what a story ended in that was told: nobody but the target could choose otherwise
    ("it needs ", "it is hard on", "the profile does not say"),
    (_NO_TOOL,),
)
"""How reasons begin, from what nobody can change about a run to what its user changes most easily."""
_TOLD: Final = _KINDS.index(())
_PARTING: Final = re.compile("; (?=" + "|".join(re.escape(words) for kind in _KINDS for words in kind) + ")")


def decisive(reasons: Iterable[str]) -> tuple[str, ...]:
    """The reasons to tell of a requirement, given one for each of its proofs, which may consist of several.

    Of the reasons of one proof the one that is hardest to remove decides. Of the proofs that is told which was nearest
    to being made.
    """
    hardest = [each for reason in reasons for each in _extreme(_parts(reason), min)]
    return _each_tool_once(_extreme(hardest, max))


def _each_tool_once(reasons: Iterable[str]) -> tuple[str, ...]:
    """The reasons, each once; what no tool is known for stands in one of them."""
    told: dict[str, dict[str, None]] = {}
    for reason in reasons:
        for part in re.split(rf"; (?={_NO_TOOL} for )", reason):
            lacking = _LACKING.fullmatch(part)
            names = lacking["names"].split(", ") if lacking else []
            told.setdefault(f"{_NO_TOOL} for {{}}{lacking['why'] or ''}" if lacking else part, {}).update(
                dict.fromkeys(names)
            )
    return tuple(
        why.replace("{}", ", ".join(sorted(names, key=_order)), 1) if names else why for why, names in told.items()
    )


def _order(name: str) -> int:
    return BEHAVIOURS.index(name) if name in BEHAVIOURS else len(BEHAVIOURS)


def _extreme(reasons: Sequence[str], end: Callable[[Iterable[int]], int]) -> list[str]:
    wanted = end([_rank(reason) for reason in reasons] or [0])
    return [reason for reason in reasons if _rank(reason) == wanted]


def _parts(reason: str) -> list[str]:
    """The reasons that one is joined from; why there is no tool stands last and is in whatever words."""
    before, mark, tools = reason.partition(_NO_TOOL)
    return [*(part for part in _PARTING.split(before.removesuffix("; ")) if part), *([mark + tools] if mark else [])]


def _rank(reason: str) -> int:
    return next((rank for rank, kind in enumerate(_KINDS) if kind and reason.startswith(kind)), _TOLD)
