"""Keeps the versions of all pods, by namespace and name, in the file state.json, and continues from it."""

import asyncio
import base64
import json
import pathlib

import watchgate

FILE = pathlib.Path("state.json")


async def main():
    state = json.loads(FILE.read_text()) if FILE.exists() else {"token": "", "pods": {}}
    pods = state["pods"]
    async with watchgate.connect("127.0.0.1:7443") as client:
        async for update in client.updates("pods", token=base64.b64decode(state["token"])):
            if isinstance(update, watchgate.Snapshot):
                pods = {"/".join(change.key): change.resource_version for change in update.objects}
            elif isinstance(update, watchgate.Changes):
                for change in update.changes:
                    if change.type is watchgate.ChangeType.DELETED:
                        pods.pop("/".join(change.key), None)
                    else:
                        pods["/".join(change.key)] = change.resource_version
            elif isinstance(update, watchgate.Interrupted):
                continue
            print(type(update).__name__, len(pods), "pods", flush=True)
            new = FILE.with_suffix(".new")
            new.write_text(json.dumps({"token": base64.b64encode(update.token).decode(), "pods": pods}))
            new.replace(FILE)


asyncio.run(main())
