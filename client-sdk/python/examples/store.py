"""Keeps the pods of a namespace in a store, by name and by node, and prints what differs."""

import asyncio

import watchgate

BY_NODE = {"node": lambda pod: [pod["spec"].get("nodeName")]}


async def main():
    async with watchgate.connect("127.0.0.1:7443") as client:
        async with client.reflect("pods", namespaces=["shop"], indexes=BY_NODE) as pods:
            await pods.synced()
            print(len(pods), "pods,", len(pods.where(node="node-1")), "of them on node-1", flush=True)
            async for difference in pods.changes():
                print(difference.key.name, "is gone" if difference.new is None else "is here", flush=True)


asyncio.run(main())
