"""Prints what kubernetes_asyncio lists and watches, as lines of JSON."""

import argparse
import asyncio
import json

from kubernetes_asyncio import client, config, watch

WHAT = {"ADDED": "add", "MODIFIED": "update", "DELETED": "delete"}


def tell(what, **more):
    print(json.dumps({"what": what, **more}), flush=True)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--selector", required=True)
    args = parser.parse_args()
    await config.load_kube_config(args.kubeconfig)
    async with client.ApiClient() as connection:
        api = client.CoreV1Api(connection)
        listed = await api.list_namespaced_config_map(args.namespace, label_selector=args.selector)
        for item in listed.items:
            tell("add", object=connection.sanitize_for_serialization(item))
        tell("synced")
        events = watch.Watch().stream(
            api.list_namespaced_config_map,
            args.namespace,
            label_selector=args.selector,
            resource_version=listed.metadata.resource_version,
        )
        async for event in events:
            tell(WHAT[event["type"]], object=event["raw_object"])


asyncio.run(main())
