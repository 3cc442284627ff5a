#!/usr/bin/env python3
"""Sends writes to a kube-apiserver and records its answers, for RecordedWritesTest.

    record.py SERVER TOKEN > recorded.jsonl

SERVER is a fresh one, with --disable-admission-plugins=ServiceAccount and without controllers: it is left with what was written.
A request marked LOOSE is answered with the same code and reason by the sandbox, in words of its own.
"""
import json
import ssl
import sys
import time
import urllib.error
import urllib.request

MERGE, STRATEGIC, PATCH = "application/merge-patch+json", "application/strategic-merge-patch+json", "application/json-patch+json"
LOOSE = "loose"

NS = "/api/v1/namespaces/rec"
APPS = "/apis/apps/v1/namespaces/rec"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "/apis/example.com/v1/namespaces/rec/widgets"
GADGETS = "/apis/example.com/v1/gadgets"
EVENTS = "/apis/events.k8s.io/v1/namespaces/rec/events"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/rec/endpointslices"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/rec/leases"


def obj(api, kind, name, /, namespace=None, meta=None, **rest):
    metadata = {"name": name} if name else {}
    if namespace:
        metadata["namespace"] = namespace
    metadata.update(meta or {})
    return {"kind": kind, "apiVersion": api, "metadata": metadata, **rest}


def cm(name, **rest):
    return obj("v1", "ConfigMap", name, **rest)


def pod(name, spec=None, **rest):
    return obj("v1", "Pod", name, spec=spec or {"containers": [{"name": "c", "image": "nginx"}]}, **rest)


def workload(kind, name, spec=None, **rest):
    return obj("apps/v1", kind, name, spec=spec or {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}, "creationTimestamp": None},
                     "spec": {"containers": [{"name": "a", "image": "b"}]}}}, **rest)


def service(name, **spec):
    return obj("v1", "Service", name, spec=spec)


def crd(plural, kind, scope, versions, **names):
    return obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", plural + ".example.com",
               spec={"group": "example.com", "scope": scope, "names": {"plural": plural, "kind": kind, **names}, "versions": versions})


def version(name, storage=True, **rest):
    spec = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"color": {"type": "string"}}}
    return {"name": name, "served": True, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"spec": spec}}}, **rest}


REQUESTS = [
    # Namespaces
    ("POST", "/api/v1/namespaces", obj("v1", "Namespace", "rec")),
    ("POST", "/api/v1/namespaces", obj("v1", "Namespace", "rec")),
    ("POST", "/api/v1/namespaces", obj("v1", "Namespace", "foo.bar")),
    ("PUT", "/api/v1/namespaces/rec", obj("v1", "Namespace", "rec", meta={"labels": {"x": "y"}})),
    ("PATCH", "/api/v1/namespaces/rec", {"metadata": {"annotations": {"k": "v"}}}, MERGE),
    ("DELETE", "/api/v1/namespaces/default", None),
    ("DELETE", "/api/v1/namespaces/nope", None),
    ("DELETE", "/api/v1/namespaces", None),
    # What every type has
    ("POST", NS + "/configmaps", {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}, LOOSE),
    ("POST", NS + "/configmaps", {"kind": "ConfigMap", "apiVersion": "apps/v1", "metadata": {"name": "a"}}, LOOSE),
    ("POST", NS + "/configmaps", "{bad", LOOSE),
    ("POST", NS + "/configmaps", "[]", LOOSE),
    ("POST", NS + "/configmaps", "\"x\"", LOOSE),
    ("POST", NS + "/configmaps", "{} {}", LOOSE),
    ("POST", NS + "/configmaps", "", LOOSE),
    ("POST", NS + "/configmaps", cm("a", namespace="other")),
    ("POST", "/api/v1/configmaps", cm("a", namespace="rec")),
    ("POST", "/api/v1/namespaces/nope/configmaps", cm("a")),
    ("POST", NS + "/configmaps", cm("")),
    ("POST", NS + "/configmaps", cm("A_b", meta={"labels": {"a b": "c"}}, data={"a/b": "c"})),
    ("POST", NS + "/configmaps", cm("a", meta={"annotations": {"a b": "c"}})),
    ("POST", NS + "/configmaps", cm("a", meta={"finalizers": ["a b"]}), LOOSE),
    ("POST", NS + "/configmaps", cm("a", meta={"ownerReferences": [{"kind": "Pod"}]}), LOOSE),
    ("POST", NS + "/configmaps", cm("a", meta={"resourceVersion": "5"})),
    ("POST", NS + "/configmaps", cm("a", meta={"labels": 5}), LOOSE),
    ("POST", NS + "/configmaps", cm("a", meta={"name": 5}), LOOSE),
    ("POST", NS + "/configmaps", cm("a", data={"b": 5}), LOOSE),
    ("POST", NS + "/configmaps", cm("a", meta={"labels": {}, "uid": "zzz", "creationTimestamp": None, "generation": 7},
                                    data={"b": "<&>\u2028", "a": "1"})),
    ("POST", NS + "/configmaps", {"metadata": {"name": "no-kind"}}),
    ("POST", NS + "/configmaps", cm("a")),
    ("POST", NS + "/configmaps?dryRun=All", cm("dry")),
    ("POST", NS + "/configmaps?dryRun=x", cm("dry")),
    ("POST", NS + "/configmaps?fieldValidation=Foo", cm("dry")),
    ("POST", NS + "/configmaps?fieldValidation=Strict", cm("dry", foo=1), ),
    ("POST", NS + "/configmaps/a", cm("n")),
    ("POST", NS + "/foos", cm("n")),
    ("POST", NS + "/configmaps/a/status", cm("a")),
    ("PUT", NS + "/configmaps/a/status", cm("a")),
    ("PUT", NS + "/configmaps", cm("n")),
    ("PATCH", NS + "/configmaps", {}, MERGE),
    ("PUT", NS + "/configmaps/a", cm("b")),
    ("PUT", NS + "/configmaps/a", cm("")),
    ("PUT", NS + "/configmaps/a", cm("a", namespace="x")),
    ("PUT", NS + "/configmaps/a", cm("a", meta={"resourceVersion": "1"})),
    ("PUT", NS + "/configmaps/a", cm("a", meta={"resourceVersion": "x1"})),
    ("PUT", NS + "/configmaps/a", cm("a", meta={"uid": "other"}), LOOSE),
    ("PUT", NS + "/configmaps/zz", cm("zz")),
    ("PUT", NS + "/configmaps/a", cm("a", data={"b": "2"})),
    ("PUT", NS + "/configmaps/a?dryRun=All", cm("a", data={"b": "3"})),
    ("PATCH", NS + "/configmaps/a", {"metadata": {"labels": {"l": "1"}}, "data": {"c": "d", "b": None}}, MERGE),
    ("PATCH", NS + "/configmaps/a", {"metadata": {"labels": {"m": "2"}}}, STRATEGIC),
    ("PATCH", NS + "/configmaps/a", [{"op": "add", "path": "/data/e", "value": "f"}], PATCH),
    ("PATCH", NS + "/configmaps/a", [{"op": "test", "path": "/data/e", "value": "x"}], PATCH, LOOSE),
    ("PATCH", NS + "/configmaps/a", {"data": {"c": 5}}, MERGE, LOOSE),
    ("PATCH", NS + "/configmaps/a", {"metadata": {"resourceVersion": "1"}}, MERGE),
    ("PATCH", NS + "/configmaps/a", {"metadata": {"name": "b"}}, MERGE),
    ("PATCH", NS + "/configmaps/a", {"metadata": {"namespace": "b"}}, MERGE),
    ("PATCH", NS + "/configmaps/a", {"metadata": {"uid": "b"}}, MERGE, LOOSE),
    ("PATCH", NS + "/configmaps/a", {"kind": "Pod"}, MERGE, LOOSE),
    ("PATCH", NS + "/configmaps/a", {"metadata": {"labels": {"l": "a b"}}}, MERGE),
    ("PATCH", NS + "/configmaps/zz", {}, MERGE),
    ("PATCH", NS + "/configmaps/a", {}, "text/plain", LOOSE),
    ("POST", NS + "/configmaps", "abc", "text/plain", LOOSE),
    ("DELETE", NS + "/configmaps/zz", None),
    ("DELETE", NS + "/configmaps/a", {"preconditions": {"uid": "zz"}}),
    ("DELETE", NS + "/configmaps/a", {"preconditions": {"resourceVersion": "1"}}),
    ("DELETE", NS + "/configmaps/a", {"propagationPolicy": "Foo"}),
    ("DELETE", NS + "/configmaps/a?gracePeriodSeconds=abc", None),
    ("DELETE", NS + "/configmaps/a?dryRun=All", None),
    ("DELETE", NS + "/configmaps/a", None),
    ("POST", NS + "/configmaps", cm("fin", meta={"finalizers": ["example.com/x"]})),
    ("DELETE", NS + "/configmaps/fin", None),
    ("DELETE", NS + "/configmaps/fin", None),
    ("PATCH", NS + "/configmaps/fin", {"metadata": {"finalizers": ["example.com/x", "example.com/y"]}}, MERGE, LOOSE),
    ("PATCH", NS + "/configmaps/fin", {"data": {"still": "there"}}, MERGE),
    ("PATCH", NS + "/configmaps/fin", {"metadata": {"finalizers": None}}, MERGE),
    ("DELETE", NS + "/configmaps/fin", None),
    ("POST", NS + "/configmaps", cm("l1", meta={"labels": {"app": "x"}})),
    ("POST", NS + "/configmaps", cm("l2", meta={"labels": {"app": "y"}})),
    ("DELETE", NS + "/configmaps?labelSelector=app%3Dx", None),
    ("DELETE", NS + "/configmaps?labelSelector=app%3D%3D%3D", None, LOOSE),
    ("DELETE", NS + "/configmaps?labelSelector=app%3Dnone", None),
    ("POST", NS + "/configmaps", cm("fixed", immutable=True, data={"a": "b"})),
    ("PATCH", NS + "/configmaps/fixed", {"data": {"a": "c"}}, MERGE),
    # Secrets
    ("POST", NS + "/secrets", obj("v1", "Secret", "s", stringData={"a": "b"})),
    ("POST", NS + "/secrets", obj("v1", "Secret", "s2", data={"a": "b"}), LOOSE),
    ("PATCH", NS + "/secrets/s", {"type": "other"}, MERGE),
    ("PATCH", NS + "/secrets/s", {"stringData": {"c": "d"}}, MERGE),
    # Pods
    ("POST", NS + "/pods", pod("p", status={"phase": "Running"})),
    ("POST", NS + "/pods", obj("v1", "Pod", "none")),
    ("POST", NS + "/pods", pod("bad", {"containers": [{}, {"name": "A"}, {"name": "A"}], "restartPolicy": "X"})),
    ("POST", NS + "/pods?fieldValidation=Strict", pod("bad", {"foo": 1, "containers": [{"name": "c", "imag": "nginx"}]})),
    ("POST", NS + "/pods", pod("bad", {"containers": [{"name": "c", "image": "x", "ports": [{"containerPort": 70000}, {}]}]})),
    ("POST", NS + "/pods", pod("bad", {"containers": "c"}), LOOSE),
    ("POST", NS + "/pods", pod("full", {
        "nodeName": "n1", "terminationGracePeriodSeconds": 5, "nodeSelector": {"a": "b"}, "serviceAccountName": "sa",
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "initContainers": [{"name": "i", "image": "x@sha256:" + "0" * 64}],
        "volumes": [{"name": "v", "configMap": {"name": "m"}}, {"name": "w", "emptyDir": {}}, {"name": "h", "hostPath": {"path": "/x"}},
                    {"name": "s", "secret": {"secretName": "y"}}],
        "containers": [{"name": "c", "image": "r.io:5000/x:1", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
                        "ports": [{"containerPort": 80}], "env": [{"name": "E", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                        "livenessProbe": {"httpGet": {"port": 80}}, "readinessProbe": {"tcpSocket": {"port": 80}},
                        "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]})),
    ("PATCH", NS + "/pods/p", {"spec": {"containers": [{"name": "c", "image": "other:1"}]}}, STRATEGIC),
    ("PATCH", NS + "/pods/p", {"spec": {"schedulerName": "x"}}, MERGE, LOOSE),
    ("PATCH", NS + "/pods/p", {"status": {"phase": "Running"}}, MERGE),
    ("PATCH", NS + "/pods/p/status", {"status": {"phase": "Running"}, "spec": {"nodeName": "x"}}, MERGE),
    ("PATCH", NS + "/pods/p/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, STRATEGIC),
    ("PATCH", NS + "/pods/p/status", {"metadata": {"labels": {"from": "status"}}}, MERGE),
    ("POST", NS + "/pods/zz/binding", obj("v1", "Binding", "zz", target={"kind": "Node", "name": "n1"})),
    ("POST", NS + "/pods/p/binding", obj("v1", "Binding", "p", target={"kind": "Node", "name": "n1"})),
    ("POST", NS + "/pods/p/binding", obj("v1", "Binding", "p", target={"kind": "Node", "name": "n2"})),
    ("PATCH", NS + "/pods/p", {}, MERGE),
    ("DELETE", NS + "/pods/p?dryRun=All", None),
    ("DELETE", NS + "/pods/p", None),
    ("DELETE", NS + "/pods/p", None),
    ("DELETE", NS + "/pods/p?gracePeriodSeconds=5", None),
    ("POST", NS + "/pods/p/eviction", obj("policy/v1", "Eviction", "p")),
    ("DELETE", NS + "/pods/p?gracePeriodSeconds=0", None),
    ("POST", NS + "/pods/full/eviction", obj("policy/v1", "Eviction", "full")),
    ("PATCH", NS + "/pods/full", {}, MERGE),
    ("POST", NS + "/pods", pod("unbound")),
    ("DELETE", NS + "/pods/unbound", {"gracePeriodSeconds": 20}),
    # Nodes
    ("POST", "/api/v1/nodes", obj("v1", "Node", "n1")),
    ("POST", "/api/v1/nodes", obj("v1", "Node", "n2", spec={"podCIDR": "10.1.0.0/24"}, status={"capacity": {"cpu": "4"}})),
    ("PATCH", "/api/v1/nodes/n1", {"spec": {"unschedulable": True}}, STRATEGIC),
    ("PATCH", "/api/v1/nodes/n1/status", {"metadata": {"annotations": {"a": "b"}}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}, STRATEGIC),
    ("DELETE", "/api/v1/nodes/n2", None),
    # Services
    ("POST", NS + "/services", service("s", selector={"a": "b"}, ports=[{"port": 80}])),
    ("POST", NS + "/services", service("h", clusterIP="None", ports=[{"port": 80, "targetPort": "http", "name": "x"}])),
    ("POST", NS + "/services", service("hs", clusterIP="None", selector={"a": "b"})),
    ("POST", NS + "/services", service("np", type="NodePort", ports=[{"port": 80}])),
    ("POST", NS + "/services", service("lb", type="LoadBalancer", ports=[{"port": 80}])),
    ("POST", NS + "/services", service("en", type="ExternalName", externalName="a.b")),
    ("POST", NS + "/services", service("bad", ports=[{"port": 0}, {"port": 5}])),
    ("POST", NS + "/services", service("none")),
    ("POST", NS + "/services", service("bad", type="Foo", ports=[{"port": 1}]), LOOSE),
    ("PUT", NS + "/services/s", service("s", selector={"a": "c"}, ports=[{"port": 80}])),
    ("PATCH", NS + "/services/s", {"spec": {"clusterIP": "10.0.0.250"}}, MERGE, LOOSE),
    ("PUT", NS + "/services/made-by-put", service("made-by-put", ports=[{"port": 80}])),
    ("PATCH", NS + "/services/s/status", {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}, MERGE, LOOSE),
    ("DELETE", NS + "/services/en", None),
    # Workloads
    ("POST", APPS + "/deployments", workload("Deployment", "d", status={"replicas": 7})),
    ("POST", APPS + "/deployments", workload("Deployment", "d2", {"x": None})),
    ("POST", APPS + "/deployments", workload("Deployment", "d2", {
        "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "c"}}, "spec": {"containers": [{"name": "a", "image": "b"}]}}})),
    ("POST", APPS + "/deployments", workload("Deployment", "d3", {
        "strategy": {"type": "Recreate"}, "replicas": 0, "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "b"}]}}})),
    ("PATCH", APPS + "/deployments/d", {"spec": {"replicas": -1}}, MERGE),
    ("PATCH", APPS + "/deployments/d", {"spec": {"selector": {"matchLabels": {"x": "y"}}}}, MERGE, LOOSE),
    ("PATCH", APPS + "/deployments/d", {"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "b:2"}]}}}}, STRATEGIC),
    ("PATCH", APPS + "/deployments/d", {"metadata": {"labels": {"x": "y"}}}, MERGE),
    ("PATCH", APPS + "/deployments/d/status", {"status": {"replicas": 3}, "metadata": {"labels": {"not": "taken"}}}, MERGE),
    ("PUT", APPS + "/deployments/d/scale", obj("autoscaling/v1", "Scale", "d", spec={"replicas": 4})),
    ("PATCH", APPS + "/deployments/d/scale", {"spec": {"replicas": 5}}, MERGE),
    ("PUT", APPS + "/deployments/d/scale", obj("autoscaling/v1", "Scale", "d", meta={"resourceVersion": "1"}, spec={"replicas": 4})),
    ("PUT", APPS + "/deployments/zz/scale", obj("autoscaling/v1", "Scale", "zz", spec={"replicas": 4})),
    ("POST", APPS + "/replicasets", workload("ReplicaSet", "r")),
    ("DELETE", APPS + "/replicasets/r", None),
    ("DELETE", APPS + "/deployments/d", {"propagationPolicy": "Background"}),
    # Leases and endpoint slices
    ("POST", LEASES, obj("coordination.k8s.io/v1", "Lease", "l", spec={"holderIdentity": "a"})),
    ("PUT", LEASES + "/l", obj("coordination.k8s.io/v1", "Lease", "l", spec={"holderIdentity": "a"})),
    ("PATCH", LEASES + "/l", {"spec": {"holderIdentity": "b"}}, MERGE),
    ("PUT", LEASES + "/made", obj("coordination.k8s.io/v1", "Lease", "made", spec={})),
    ("POST", SLICES, obj("discovery.k8s.io/v1", "EndpointSlice", "es", addressType="IPv4", endpoints=[{"addresses": ["10.0.0.1"]}], ports=[{"port": 80}])),
    ("POST", SLICES, obj("discovery.k8s.io/v1", "EndpointSlice", "empty", addressType="IPv4")),
    ("POST", SLICES, obj("discovery.k8s.io/v1", "EndpointSlice", "bad"), LOOSE),
    ("PATCH", SLICES + "/es", {"endpoints": [{"addresses": ["10.0.0.2"], "conditions": {"ready": True}}]}, MERGE),
    # Events
    ("POST", NS + "/events", obj("v1", "Event", "e", involvedObject={"kind": "Pod", "name": "a", "namespace": "rec"}, reason="R", message="m",
                                 type="Normal", count=1, firstTimestamp="2025-01-01T00:00:00Z", lastTimestamp="2025-01-01T00:00:00Z",
                                 source={"component": "c"})),
    ("PATCH", EVENTS + "/e", {"metadata": {"labels": {"a": "b"}}}, MERGE),
    ("POST", NS + "/events", obj("v1", "Event", "e2", involvedObject={"kind": "Pod", "name": "a", "namespace": "other"})),
    ("POST", EVENTS, obj("events.k8s.io/v1", "Event", "e3", regarding={"kind": "Pod", "name": "a", "namespace": "rec"}, reason="R", note="m",
                         type="Normal", eventTime="2025-01-01T00:00:00.000000Z", action="x", reportingController="a/b", reportingInstance="i")),
    ("PATCH", NS + "/events/e3", {"metadata": {"labels": {"a": "b"}}}, MERGE),
    # Definitions and custom resources
    ("POST", CRDS, crd("widgets", "Widget", "Namespaced", [version("v1", subresources={"status": {}}, selectableFields=[{"jsonPath": ".spec.color"}])]), LOOSE),
    ("POST", CRDS, crd("gadgets", "Gadget", "Cluster", [version("v1")], shortNames=["gd"]), LOOSE),
    ("POST", CRDS, obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", "x.example.com",
                       spec={"group": "example.com", "scope": "Foo", "names": {"plural": "widgets", "kind": "Widget"}, "versions": []}), LOOSE),
    ("POST", WIDGETS, obj("example.com/v1", "Widget", "w", spec={"color": "red", "big": 9007199254740993}, status={"a": 1})),
    ("POST", WIDGETS, {"metadata": {"name": "no-kind"}}, LOOSE),
    ("PUT", WIDGETS + "/w", obj("example.com/v1", "Widget", "w", spec={"color": "blue"})),
    ("PATCH", WIDGETS + "/w", {"spec": {"color": "blue"}}, MERGE),
    ("PATCH", WIDGETS + "/w", {"status": {"a": 2}}, MERGE),
    ("PATCH", WIDGETS + "/w/status", {"status": {"a": 2}, "spec": {"color": "not taken"}}, MERGE),
    ("PATCH", WIDGETS + "/w", {}, STRATEGIC, LOOSE),
    ("PATCH", WIDGETS + "/w", [{"op": "replace", "path": "/spec/color", "value": "green"}], PATCH),
    ("PUT", WIDGETS + "/w/scale", {}, LOOSE),
    ("DELETE", WIDGETS + "/w", None),
    ("POST", GADGETS, obj("example.com/v1", "Gadget", "g", status={"a": 1})),
    ("PUT", GADGETS + "/g/status", obj("example.com/v1", "Gadget", "g"), LOOSE),
    ("PATCH", GADGETS + "/g", {"status": {"a": 2}}, MERGE),
    ("POST", GADGETS, obj("example.com/v1", "Gadget", "G")),
]


def send(server, token, method, path, body, media):
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    request = urllib.request.Request(server + path, data, method=method, headers={
        "Authorization": "Bearer " + token, "Content-Type": media, "User-Agent": "record"})
    context = ssl._create_unverified_context()  # a server of one's own, on loopback
    try:
        with urllib.request.urlopen(request, context=context) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def main():
    server, token = sys.argv[1:]
    for method, path, body, *rest in REQUESTS:
        media = next((word for word in rest if "/" in word), "application/json")
        code, text = send(server, token, method, path, body, media)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = text
        sent = "" if body is None else body if isinstance(body, str) else json.dumps(body)
        print(json.dumps({"method": method, "path": path, "media": media, "body": sent, "loose": LOOSE in rest, "code": code, "answer": answer}))
        if path == CRDS and code == 201:
            time.sleep(2)  # until the type is served


main()
