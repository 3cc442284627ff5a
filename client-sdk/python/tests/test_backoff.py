"""Tests of the waits after failures."""

from __future__ import annotations

import asyncio
import time
import unittest

import watchgate
from watchgate import Action, Failure, WatchgateError
from watchgate._backoff import Backoff, RetryBudget
from watchgate._errors import CallFailed


def failure(code: str, retry_after: float = 0.0) -> Failure:
    return Failure(code, "", Action.RESUME, f"it was {code}", retry_after)


class BackoffTest(unittest.TestCase):
    def test_range_doubles_up_to_30_seconds(self) -> None:
        longest = [0.0] * 9
        for _ in range(300):
            backoff = Backoff()
            for number in range(len(longest)):
                longest[number] = max(longest[number], backoff.delay(failure("UNAVAILABLE")))
        for number, bound in enumerate((0.5, 1, 2, 4, 8, 16, 30, 30, 30)):
            self.assertTrue(0.8 * bound < longest[number] <= bound, (number, longest[number]))

    def test_reset_begins_again_after_the_wait_of_the_server(self) -> None:
        backoff = Backoff()
        for _ in range(20):
            backoff.delay(failure("UNAVAILABLE"))
        backoff.reset()
        delay = backoff.delay(failure("UNAVAILABLE", 7.0))
        self.assertTrue(7.0 <= delay <= 7.5, delay)


class RetryBudgetTest(unittest.TestCase):
    def test_retries_above_the_burst_are_spread(self) -> None:
        now = 100.0
        budget = RetryBudget(lambda: now)
        self.assertLess(max(budget.reserve(0.0) for _ in range(100)), 1e-6)
        delays = [budget.reserve(0.0) for _ in range(1000)]
        self.assertAlmostEqual(delays[0], 0.01)
        self.assertAlmostEqual(delays[-1], 10.0)
        self.assertEqual(budget.reserve(30.0), 30.0)

    def test_unused_retries_are_kept_for_a_second(self) -> None:
        now = 100.0
        budget = RetryBudget(lambda: now)
        now = 1000.0
        delays = [budget.reserve(0.0) for _ in range(101)]
        self.assertLess(delays[98], 1e-6)
        self.assertGreater(delays[100], 0.009)


class TimeoutTest(unittest.IsolatedAsyncioTestCase):
    async def test_failure_that_a_replica_told_is_raised(self) -> None:
        async def attempt(turn: int, deadline: float) -> None:
            if turn > 0:
                await asyncio.sleep(max(0.0, deadline - time.monotonic()))
            raise CallFailed(failure("DEADLINE_EXCEEDED" if turn > 0 else "RESOURCE_EXHAUSTED"))

        async with watchgate.connect("127.0.0.1:1") as client:
            with self.assertRaisesRegex(WatchgateError, "it was RESOURCE_EXHAUSTED"):
                await client._until_answered(attempt, 0.6)


if __name__ == "__main__":
    unittest.main()
