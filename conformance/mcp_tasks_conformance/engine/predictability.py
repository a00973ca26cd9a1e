"""Whether one id of a sample leads to the next: only what is plainly guessable counts, for chance cannot be proven."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from itertools import combinations, pairwise

LEAST_BITS = 24.0
"""So many bits at least differ between two ids, on the average: what remains beside prefixes, times and counters."""

_BASES = ((10, string.digits), (16, string.hexdigits))
_ALPHABET_SIZES = ((10, string.digits), (16, string.hexdigits), (36, string.digits + string.ascii_lowercase))
_ALL = 62


def weakness(ids: Sequence[str]) -> str | None:
    """Why the ids of a sample, in the order they were made in, can be guessed; none where nothing shows it."""
    if len(ids) < 3:
        return f"a sample of {len(ids)} shows nothing"
    stride = _stride(ids)
    if stride is not None:
        return f"each is the one before and {stride}: {ids[0]}, {ids[1]}, {ids[2]}"
    bits = _varying_bits(ids)
    if bits < LEAST_BITS:
        return f"two differ in some {bits:.0f} bits only: {ids[0]} and {ids[1]}"
    return None


def _stride(ids: Sequence[str]) -> int | None:
    """What leads from each id to the next, where it is always the same."""
    for base, alphabet in _BASES:
        digits = ["".join(character for character in text if character in alphabet) for text in ids]
        numbers = [int(text or "0", base) for text in digits]
        steps = {later - earlier for earlier, later in pairwise(numbers)}
        if len(steps) == 1:
            return steps.pop()
    return None


def _varying_bits(ids: Sequence[str]) -> float:
    """How many bits differ between two ids of the sample, on the average."""
    used = {character for text in ids for character in text if character.isalnum()}
    size = next((size for size, alphabet in _ALPHABET_SIZES if used <= set(alphabet)), _ALL)
    pairs = list(combinations(ids, 2))
    differing = sum(_differing(one, other) for one, other in pairs) / len(pairs)
    return differing * math.log2(size)


def _differing(one: str, other: str) -> int:
    longest = max(len(one), len(other))
    padded = zip(one.rjust(longest), other.rjust(longest), strict=True)
    return sum(left != right for left, right in padded)
