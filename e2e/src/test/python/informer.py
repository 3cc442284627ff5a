"""Prints what the official Python client lists and watches, as lines of JSON."""

from kubernetes import client, config, watch

from informer_program import WHAT, arguments, tell


def main():
    args = arguments()
    config.load_kube_config(args.kubeconfig)
    api = client.CoreV1Api()
    listed = api.list_namespaced_config_map(args.namespace, label_selector=args.selector)
    for item in listed.items:
        tell("add", object=api.api_client.sanitize_for_serialization(item))
    tell("synced")
    events = watch.Watch().stream(
        api.list_namespaced_config_map,
        args.namespace,
        label_selector=args.selector,
        resource_version=listed.metadata.resource_version,
    )
    for event in events:
        tell(WHAT[event["type"]], object=event["raw_object"])


main()
