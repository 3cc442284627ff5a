"""Holds all pods, for a benchmark that measures this process. MeasuredProcess.java has the lines that are exchanged.

    measured.py informer PODS KUBECONFIG    an informer of the official Python client
    measured.py store PODS HOST:PORT CA     a store of the package watchgate
"""

import asyncio
import os
import sys
import threading
import time


class Events:
    """Number of the events that a client has told of."""

    def __init__(self):
        self.count = 0

    def add(self, _):
        self.count += 1


def informer(events, pods, kubeconfig):
    """Starts an informer, and returns once it holds the pods. It tells of those of its list by its cache alone."""
    from kubernetes import client, config
    from kubernetes.informer import ADDED, DELETED, MODIFIED, SharedInformer

    config.load_kube_config(kubeconfig)
    held = SharedInformer(client.CoreV1Api().list_pod_for_all_namespaces)
    for kind in (ADDED, MODIFIED, DELETED):
        held.add_event_handler(kind, events.add)
    held.start()
    while len(held.cache.list_keys()) < pods:
        time.sleep(0.01)


def store(events, pods, server, ca):
    """Starts a store, and returns once it has told of the pods."""
    import watchgate

    synced = threading.Event()

    async def follow():
        async with watchgate.connect(server, ca=ca) as client, client.reflect("pods") as held:
            async for difference in held.changes():
                events.add(difference)
                if events.count == pods:
                    synced.set()

    threading.Thread(target=asyncio.run, args=[follow()], daemon=True).start()
    synced.wait()


def main():
    source, pods, *server = sys.argv[1:]
    events = Events()
    {"informer": informer, "store": store}[source](events, int(pods), *server)
    print("synced", flush=True)
    for question in sys.stdin:
        print(question.strip(), events.count, flush=True)
    os._exit(0)  # the client runs in other threads


main()
