"""Prints what kubernetes_asyncio lists and watches, as lines of JSON."""

import asyncio

from kubernetes_asyncio import client, config, watch

from informer_program import WHAT, arguments, tell


async def main():
    args = arguments()
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
