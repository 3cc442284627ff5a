"""Prints what the official Python client lists and watches, as lines of JSON. Lists again after an error."""

import sys
import time

import urllib3
from kubernetes import client, config, watch

from informer_program import Objects, arguments


def follow(api, args, objects):
    listed = api.list_namespaced_config_map(args.namespace, label_selector=args.selector)
    objects.replace(api.api_client.sanitize_for_serialization(listed.items))
    events = watch.Watch().stream(
        api.list_namespaced_config_map,
        args.namespace,
        label_selector=args.selector,
        resource_version=listed.metadata.resource_version,
    )
    for event in events:
        objects.apply(event)


def main():
    args = arguments()
    config.load_kube_config(args.kubeconfig)
    api = client.CoreV1Api()
    objects = Objects()
    while True:
        try:
            follow(api, args, objects)
        except (client.ApiException, urllib3.exceptions.HTTPError) as error:
            print(error, file=sys.stderr)
            time.sleep(1)


main()
