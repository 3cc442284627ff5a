"""A test of a program that watches, with a gateway in the process of the test."""

import asyncio
import contextlib
import unittest

import watchgate
from watchgate.testing import FakeGateway


async def follow(client):
    """The program: a line for each change to the pods of a namespace."""
    async for change in client.watch("pods", namespaces=["shop"]):
        yield f"{change.type.value} {change.key.name}"


class FollowTest(unittest.IsolatedAsyncioTestCase):
    async def test_cut_loses_no_change(self):
        async with FakeGateway() as gateway, watchgate.connect(gateway.address) as client:
            gateway.put("shop", "web-1", {"status": {"phase": "Running"}})
            async with contextlib.aclosing(follow(client)) as lines:
                self.assertEqual(await asyncio.wait_for(anext(lines), 60), "ADDED web-1")
                gateway.cut()
                gateway.delete("shop", "web-1")
                self.assertEqual(await asyncio.wait_for(anext(lines), 60), "DELETED web-1")
