"""Identifiers in a text: order numbers, user names, addresses, and (published behaviour) any plain word of six letters.

Source: usi.md section 3, whose five rules are scanned from left to right. What that scan does is worked out here for
each run of word characters at once, in time linear in the text:

- rule 1 looks at word boundaries, so it takes a run whole or not at all; rule 2 takes a run whole wherever in it the
  five digits stand;
- else rule 3 matches at the start of the run if anywhere (a match from later on is also one from the start), and ends
  after the digits that follow the last underscore with three of them: not five, or rule 2 had matched;
- from there on, rule 4 where a literal stands at once; else rule 5 where the run goes on and an address follows it,
  which takes two more runs; else rule 4 at the next literal. Rules 4 and 5 leave nothing of the run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simgap_workers.behaviour.blob import Blob, Positions

Counts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_PLAIN_WORD_LENGTH = 6
_LITERALS = (b"gift_card_", b"credit_card_", b"paypal_")


def identifier_counts(blob: Blob) -> tuple[Counts, Counts]:
    """How many identifiers start in each run of the blob: as published, and strictly; shape (runs,) each.

    Strictly, a plain word counts only if it holds one of 0-9.
    """
    starts, ends = blob.runs
    run_count = len(starts)
    plain = ends - starts >= _PLAIN_WORD_LENGTH
    plain[_runs_of(blob.unplain, starts)] = False
    digits = np.flatnonzero(blob.is_digit)
    with_digit = np.zeros(run_count, dtype=np.bool_)
    with_digit[_runs_of(digits, starts)] = True
    number = np.zeros(run_count, dtype=np.bool_)
    number[_runs_of(digits[:-4][digits[4:] - digits[:-4] == 4], starts)] = True

    underscores = np.flatnonzero(blob.characters == ord("_"))
    addresses = _address_runs(blob)
    scanned = _ScannedRuns(blob, underscores, addresses)
    return scanned.counts(plain | number), scanned.counts(plain & with_digit | number)


class _ScannedRuns:
    """The runs that rules 3-5 can count in: those with an underscore, and those that begin an address."""

    def __init__(self, blob: Blob, underscores: Positions, addresses: Positions) -> None:
        all_starts, all_ends = blob.runs
        is_address = np.zeros(len(all_starts), dtype=np.bool_)
        is_address[addresses] = True
        scanned = is_address.copy()
        scanned[_runs_of(underscores, all_starts)] = True
        self._index = np.flatnonzero(scanned)
        starts, ends = all_starts[self._index], all_ends[self._index]

        self._named, after = _rule_3(blob, underscores, starts, ends)
        literals = _literals(blob)
        following = np.searchsorted(literals, after)
        # Beyond every run, where there is no literal any more.
        following_literal = np.append(literals, len(blob.projected))[following]
        self._literal_now = following_literal == after
        self._literal = following_literal < ends
        self._address = is_address[self._index] & (after < ends) & ~self._literal_now

    def counts(self, whole: Flags) -> Counts:
        """Identifiers that start in each run of the blob; `whole` says which runs rules 1 and 2 take."""
        counts = whole.astype(np.int64)
        if not len(self._index):
            return counts
        scanned = ~whole[self._index]
        address = self._address & scanned
        counts[self._index[scanned]] = (self._named + (self._literal | self._address).astype(np.int64))[scanned]
        taken = _not_overlapped(self._index[address])
        counts[taken + 1] = counts[taken + 2] = 0
        return counts


def _runs_of(positions: Positions, starts: Positions) -> Positions:
    """The run of each position, all of which stand in one."""
    return np.searchsorted(starts, positions, side="right") - 1


def _rule_3(blob: Blob, underscores: Positions, starts: Positions, ends: Positions) -> tuple[Flags, Positions]:
    """Whether each run begins with what rule 3 takes, and where the scan goes on in it."""
    is_digit = blob.is_digit
    followed = is_digit[underscores + 1] & is_digit[underscores + 2] & is_digit[underscores + 3]
    beyond = len(blob.projected)
    first = np.append(underscores, beyond)[np.searchsorted(underscores, starts + 1)]
    last = np.append(-1, underscores[followed])[np.searchsorted(underscores[followed], ends)]
    # At least one word character stands between the two; both are in the run then.
    named = first <= last - 2
    end = last + 4
    return named, np.where(named, end + is_digit[np.where(named, end, 0)], starts)


def _literals(blob: Blob) -> Positions:
    """Where the literals of rule 4 stand that a word character follows, in ascending order."""
    found: list[Positions] = []
    for literal in _LITERALS:
        positions = []
        position = blob.projected.find(literal)
        while position >= 0:
            positions.append(position)
            position = blob.projected.find(literal, position + len(literal))
        at = np.array(positions, dtype=np.int64)
        found.append(at[blob.is_word[at + len(literal)]])
    return np.sort(np.concatenate(found))


def _address_runs(blob: Blob) -> Positions:
    """The runs that are followed by `@`, a run, `.` and a run, in ascending order."""
    starts, ends = blob.runs
    signs = np.flatnonzero(blob.characters == ord("@"))
    # The run that ends at the sign, if one does; two more must follow it.
    runs = np.searchsorted(ends[:-2], signs)
    inside = runs < len(ends) - 2
    signs, runs = signs[inside], runs[inside]
    follows = (ends[runs] == signs) & (starts[runs + 1] == signs + 1)
    runs = runs[follows]
    dots = ends[runs + 1]
    addresses: Positions = runs[(blob.characters[dots] == ord(".")) & (starts[runs + 2] == dots + 1)]
    return addresses


def _not_overlapped(addresses: Positions) -> Positions:
    """The addresses that the scan from left to right takes: one that begins inside another is none.

    Two overlap only where the second begins with the last run of the first, two runs on; of such a chain every second
    one is taken.
    """
    place = np.arange(len(addresses))
    begins_chain = np.diff(addresses, prepend=-3) != 2
    first = np.maximum.accumulate(np.where(begins_chain, place, 0))
    taken: Positions = addresses[(place - first) % 2 == 0]
    return taken
