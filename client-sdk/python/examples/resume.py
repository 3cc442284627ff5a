"""Keeps the versions of the pods that are selected, by namespace and name, in the file state.json, and continues from it."""

import asyncio
import base64
import json
import os
import pathlib

import watchgate

FILE = pathlib.Path("state.json")
SELECTION = {"labels": "", "fields": ""}  # of a node's agent: "fields": "spec.nodeName=node-1"


def stored():
    state = json.loads(FILE.read_text()) if FILE.exists() else {}
    return state if state.get("selection") == SELECTION else {"selection": SELECTION, "token": "", "pods": {}}


def store(state):
    new = FILE.with_suffix(".new")
    with new.open("w") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())  # or the file may be empty after a crash of the machine
    new.replace(FILE)


async def main():
    state = stored()
    pods = state["pods"]
    async with watchgate.connect("127.0.0.1:7443") as client:
        async for update in client.updates("pods", token=base64.b64decode(state["token"]), **SELECTION):
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
            store({"selection": SELECTION, "token": base64.b64encode(update.token).decode(), "pods": pods})


asyncio.run(main())
