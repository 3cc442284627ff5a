"""Prints the pods of a namespace, and then each change to them."""

import asyncio

import watchgate


async def main():
    async with watchgate.connect("127.0.0.1:7443") as client:
        async for change in client.watch("pods", namespaces=["shop"]):
            phase = change.object["status"].get("phase") if change.object else ""
            print(change.type.value, change.key.name, phase, flush=True)


asyncio.run(main())
