"""Waits after failures, as the contract defines them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from watchgate._errors import Failure

_FIRST_RANGE = 0.5  # seconds
_LONGEST_RANGE = 30.0
_RETRY_INTERVAL = 0.01
_RETRY_BURST = 1.0


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


class RetryBudget:
    """Limit of the retries of a client: 100 per second, after a burst of 100.

    Each watch has a backoff, but thousands of them retry thousands of times per second.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._next = now() - _RETRY_BURST

    def reserve(self, delay: float) -> float:
        """Counts a retry, and returns the wait before it: the given one, or a longer one if too many retries are due."""
        now = self._now()
        self._next = max(self._next, now - _RETRY_BURST) + _RETRY_INTERVAL
        return max(delay, self._next - now)
