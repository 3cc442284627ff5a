"""Tests of the waits after failures."""

from __future__ import annotations

import asyncio
import contextlib
import time
import unittest
from collections.abc import AsyncGenerator
from unittest import mock

import watchgate
from gateway_case import GatewayCase
from watchgate import Action, Changes, Failure, Interrupted, Resumed, Snapshot, Update, WatchgateError
from watchgate._backoff import Backoff, RetryBudget
from watchgate._errors import CallFailed
from watchgate.v1 import watch_pb2


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


class RowOfFailuresTest(GatewayCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        uniform = mock.patch("random.uniform", lambda _, longest: longest / 100)
        uniform.start()
        self.addCleanup(uniform.stop)

    async def interrupted(self, updates: AsyncGenerator[Update, None]) -> float:
        update = await asyncio.wait_for(anext(updates), 60)
        assert isinstance(update, Interrupted), update
        return update.delay

    async def test_only_a_new_position_resets_the_backoff(self) -> None:
        async with contextlib.aclosing(self.client.updates("pods")) as updates:
            self.assertIsInstance(await anext(updates), Snapshot)
            delays = []
            for _ in range(3):
                self.gateway.cut()
                delays.append(await self.interrupted(updates))
                self.assertIsInstance(await anext(updates), Resumed)
            self.gateway.put("shop", "web", 1)
            self.assertIsInstance(await anext(updates), Changes)
            self.gateway.cut()
            delays.append(await self.interrupted(updates))
            self.assertEqual(delays, [0.005, 0.01, 0.02, 0.005])

    async def test_snapshots_after_changes_of_an_unknown_type_become_rarer(self) -> None:
        async with contextlib.aclosing(self.client.updates("pods")) as updates:
            self.assertIsInstance(await anext(updates), Snapshot)
            delays = []
            for number in range(4):
                self.gateway.put("shop", "web", number)
                self.assertIsInstance(await anext(updates), Changes)
                self.gateway._record(99, watch_pb2.ObjectKey(namespace="shop", name="web"), b"1")
                delays.append(await self.interrupted(updates))
                self.assertIsInstance(await anext(updates), Snapshot)
            self.assertEqual(delays, [0.005, 0.01, 0.02, 0.04])


class TimeoutTest(unittest.IsolatedAsyncioTestCase):
    async def test_last_error_of_a_replica_is_raised(self) -> None:
        attempts = 0

        async def attempt(_: int, deadline: float) -> None:
            nonlocal attempts
            attempts += 1
            if attempts > 1:
                await asyncio.sleep(max(0.0, deadline - time.monotonic()))
            raise CallFailed(failure("DEADLINE_EXCEEDED" if attempts > 1 else "RESOURCE_EXHAUSTED"))

        async with watchgate.connect("127.0.0.1:1") as client:
            with self.assertRaisesRegex(WatchgateError, "it was RESOURCE_EXHAUSTED"):
                await client._until_answered(attempt, 0.6)


if __name__ == "__main__":
    unittest.main()
