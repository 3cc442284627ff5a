"""Waits after failures, as the contract has them."""

from __future__ import annotations

import random

from watchgate._errors import Failure

_FIRST_RANGE = 0.5  # seconds
_LONGEST_RANGE = 30.0


class Backoff:
    """Random waits, whose range doubles with each failure in a row."""

    def __init__(self) -> None:
        self._failures = 0

    def reset(self) -> None:
        """Ends the row of failures."""
        self._failures = 0

    def delay(self, failure: Failure) -> float:
        """Counts a failure, and returns the seconds to wait after it."""
        longest = min(_LONGEST_RANGE, _FIRST_RANGE * float(2 ** min(self._failures, 10)))
        self._failures += 1
        return failure.retry_after + random.uniform(0, longest)
