"""Tests of the choice of replicas."""

from __future__ import annotations

import contextlib
import unittest

import watchgate
from gateway_case import GatewayCase
from watchgate import Interrupted, Resumed, Snapshot
from watchgate.testing import FakeGateway


class ChoiceTest(unittest.IsolatedAsyncioTestCase):
    async def test_all_streams_of_a_client_take_turns(self) -> None:
        async with watchgate.connect("a:1", "b:1", "c:1", start_at_first=True) as client:
            self.assertEqual([client._replicas.choose(None) for _ in range(4)], [0, 1, 2, 0])

    async def test_stream_is_not_opened_at_the_replica_of_the_last_one(self) -> None:
        async with watchgate.connect("a:1", "b:1", "c:1", start_at_first=True) as client:
            self.assertEqual([client._replicas.choose(0) for _ in range(4)], [1, 2, 1, 2])
        async with watchgate.connect("a:1") as client:
            self.assertEqual(client._replicas.choose(0), 0)

    async def test_first_one_is_random(self) -> None:
        first = set()
        for _ in range(100):
            async with watchgate.connect("a:1", "b:1") as client:
                first.add(client._replicas.choose(None))
        self.assertEqual(first, {0, 1})


class SeveralGatewaysTest(GatewayCase):
    async def test_watches_are_spread_and_a_broken_one_resumes_at_the_other_replica(self) -> None:
        async with FakeGateway() as other, contextlib.AsyncExitStack() as opened:
            servers = self.gateway.address, other.address
            client = await opened.enter_async_context(watchgate.connect(*servers, start_at_first=True))
            watches = [await opened.enter_async_context(contextlib.aclosing(client.updates("pods"))) for _ in range(2)]
            for watch in watches:
                self.assertIsInstance(await anext(watch), Snapshot)
            self.assertEqual((self.gateway.open_streams, other.open_streams), (1, 1))
            self.gateway.cut()
            self.assertIsInstance(await anext(watches[0]), Interrupted)
            self.assertIsInstance(await anext(watches[0]), Resumed)
            # The gateway counts a stream until shortly after the client knows of its end.
            await self.until(lambda: (self.gateway.open_streams, other.open_streams) == (0, 2))


if __name__ == "__main__":
    unittest.main()
