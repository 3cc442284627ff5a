"""A test with a gateway in the process and a client of it."""

from __future__ import annotations

import asyncio
import contextlib
import unittest
from collections.abc import Callable

import watchgate
from watchgate.testing import FakeGateway


class GatewayCase(unittest.IsolatedAsyncioTestCase):
    """Test whose gateway and client are there from the start."""

    async def asyncSetUp(self) -> None:
        opened = contextlib.AsyncExitStack()
        self.addAsyncCleanup(opened.aclose)
        self.gateway = await opened.enter_async_context(FakeGateway())
        self.client = await opened.enter_async_context(watchgate.connect(self.gateway.address))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits until a condition holds."""

        async def wait() -> None:
            while not condition():
                await asyncio.sleep(0.005)

        await asyncio.wait_for(wait(), 60)


def line(change: watchgate.Change) -> str:
    """Returns a change as text."""
    return f"{change.type.value} {change.key.namespace}/{change.key.name}"
