"""Prints what kubernetes_asyncio lists and watches, as lines of JSON. Lists again after an error."""

import asyncio
import sys

import aiohttp
from kubernetes_asyncio import client, config, watch

from informer_program import Objects, arguments


async def follow(api, args, objects):
    listed = await api.list_namespaced_config_map(args.namespace, label_selector=args.selector)
    objects.replace(api.api_client.sanitize_for_serialization(listed.items))
    events = watch.Watch().stream(
        api.list_namespaced_config_map,
        args.namespace,
        label_selector=args.selector,
        resource_version=listed.metadata.resource_version,
    )
    async for event in events:
        objects.apply(event)


async def main():
    args = arguments()
    await config.load_kube_config(args.kubeconfig)
    objects = Objects()
    async with client.ApiClient() as connection:
        api = client.CoreV1Api(connection)
        while True:
            try:
                await follow(api, args, objects)
            except (client.ApiException, aiohttp.ClientError, asyncio.TimeoutError) as error:
                print(error, file=sys.stderr)
                await asyncio.sleep(1)


asyncio.run(main())
