"""Asks a real kube-apiserver what it thinks of a few hundred selectors and writes down its answers, for RecordedAnswersTest.

    python3 record.py https://127.0.0.1:6443 TOKEN > recorded.jsonl

The server should be an empty one, without controllers, with --runtime-config=api/all=true --feature-gates=AllBeta=true, such as
e2e/apiserver/build builds: "watchgate-test-apiserver serve --dir DIR -- FLAGS", with a token from DIR/tokens.csv. It is left full of objects.
What such a server makes of its own accord, leases and config maps of kube-system, is other in each version.
A line is a type, an object as the server sends it (less managedFields), or a list: what was asked, and the keys or the error.
"""
import base64, json, random, ssl, subprocess, sys, time, urllib.error, urllib.parse, urllib.request

BASE, TOKEN = sys.argv[1:]
CONTEXT = ssl._create_unverified_context()
random.seed(20)


def call(method, path, body=None, content="application/json"):
    request = urllib.request.Request(BASE + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + TOKEN)
    request.add_header("Content-Type", content)
    try:
        with urllib.request.urlopen(request, context=CONTEXT) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()


def out(**line):
    print(json.dumps(line))


def create(path, body, status=None):
    name = body["metadata"]["name"]
    if call("GET", f"{path}/{name}")[0] == 200:
        return
    code, text = call("POST", path, body)
    if code > 299:
        sys.exit(f"{path}: {code} {text}")
    if status is not None:
        code, text = call("PATCH", f"{path}/{name}/status", {"status": status}, "application/merge-patch+json")
        if code > 299:
            sys.exit(f"{path}/{name}/status: {code} {text}")


def meta(name, namespace=None, labels=None):
    result = {"name": name}
    if namespace:
        result["namespace"] = namespace
    if labels:
        result["labels"] = labels
    return result


class Type:
    def __init__(self, path, kind, namespaced, selectable=()):
        parts = path.split("/")
        self.group = "" if parts[0] == "api" else parts[1]
        self.version, self.resource = parts[-2:]
        self.kind, self.namespaced, self.selectable = kind, namespaced, list(selectable)
        self.custom = self.group == "example.com"
        self.id = self.resource + ("." + self.group if self.group else "")
        self.root = "/" + "/".join(parts[:-1])

    def path(self, namespace=None):
        return f"{self.root}/namespaces/{namespace}/{self.resource}" if namespace else f"{self.root}/{self.resource}"

    def create(self, name, namespace=None, status=None, labels=None, **body):
        api = self.root.split("/", 2)[2]
        create(self.path(namespace), {"apiVersion": api, "kind": self.kind, "metadata": meta(name, namespace, labels), **body}, status)


TYPES = [
    Type("api/v1/pods", "Pod", True),
    Type("api/v1/nodes", "Node", False),
    Type("api/v1/namespaces", "Namespace", False),
    Type("api/v1/services", "Service", True),
    Type("api/v1/secrets", "Secret", True),
    Type("api/v1/configmaps", "ConfigMap", True),
    Type("api/v1/persistentvolumes", "PersistentVolume", False),
    Type("api/v1/replicationcontrollers", "ReplicationController", True),
    Type("api/v1/events", "Event", True),
    Type("apis/events.k8s.io/v1/events", "Event", True),
    Type("apis/batch/v1/jobs", "Job", True),
    Type("apis/batch/v1/cronjobs", "CronJob", True),
    Type("apis/apps/v1/deployments", "Deployment", True),
    Type("apis/coordination.k8s.io/v1/leases", "Lease", True),
    Type("apis/certificates.k8s.io/v1/certificatesigningrequests", "CertificateSigningRequest", False),
    Type("apis/certificates.k8s.io/v1beta1/clustertrustbundles", "ClusterTrustBundle", False),
    Type("apis/certificates.k8s.io/v1beta1/podcertificaterequests", "PodCertificateRequest", True),
    Type("apis/resource.k8s.io/v1/resourceslices", "ResourceSlice", False),
    Type("apis/rbac.authorization.k8s.io/v1/clusterroles", "ClusterRole", False),
    Type("apis/apiextensions.k8s.io/v1/customresourcedefinitions", "CustomResourceDefinition", False),
    Type("apis/apiregistration.k8s.io/v1/apiservices", "APIService", False),
    Type("apis/example.com/v1/widgets", "Widget", True, ["spec.color", "spec.count", "spec.on", "spec.deep.er", "top"]),
    Type("apis/example.com/v1/gadgets", "Gadget", False, ["spec.color"]),
    Type("apis/example.com/v1/plains", "Plain", True),
]
BY_ID = {t.id: t for t in TYPES}
ODD = ["<b>&\"q\"", "comma,equals=back\\slash", "ünïcödé \U0001f600 \u2028", "tab\there", "new\nline", "'", "e\u0301", "/", " lead", "\u00a0"]


def define(kind, plural, scope, fields):
    schema = {"type": "object", "properties": {
        "top": {"type": "string"},
        "spec": {"type": "object", "properties": {
            "color": {"type": "string", "nullable": True}, "count": {"type": "integer"}, "on": {"type": "boolean"},
            "deep": {"type": "object", "properties": {"er": {"type": "string"}}}}}}}
    create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": plural + ".example.com"},
        "spec": {"group": "example.com", "scope": scope, "names": {"plural": plural, "kind": kind},
                 "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
                               "selectableFields": [{"jsonPath": "." + f} for f in fields]}]}})


def fill():
    for t in TYPES:
        if t.custom:
            define(t.kind, t.resource, "Namespaced" if t.namespaced else "Cluster", t.selectable)
    for namespace in "a", "b":
        BY_ID["namespaces"].create(namespace, labels={"team": namespace})
    maps = [{}, {"a": "1"}, {"a": "2", "b": "x"}, {"a": ""}, {"a": "10"}, {"a": "010"}, {"a": "x-y"}, {"n": "9223372036854775807"},
            {"n": "9223372036854775808"}, {"n": "1.5"}, {"in": "in", "notin": "notin", "exists": "exists"}, {"example.com/a": "1"},
            {"A": "1", "a": "A"}, {"example.com/a": "2", "a": "1", "b": "", "n": "7"}, {"a_b.c-d": "e_f.g-h", "b": "x"}]
    for i, labels in enumerate(maps):
        BY_ID["configmaps"].create(f"c{i}", "b" if i % 3 == 0 else "a", labels=labels)

    container = {"name": "c", "image": "i"}
    pods = BY_ID["pods"]
    pods.create("bare", "a", spec={"containers": [container]})
    pods.create("placed", "a", spec={"containers": [container], "nodeName": "node-1", "hostNetwork": True, "restartPolicy": "Never"},
                status={"phase": "Running", "podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}, {"ip": "fd00::1"}]})
    pods.create("waiting", "a", spec={"containers": [container]}, status={"nominatedNodeName": "node-2"})
    pods.create("named", "b", spec={"containers": [container], "schedulerName": "mine", "serviceAccountName": "robot", "nodeName": "node-2"},
                status={"phase": "Succeeded"})
    BY_ID["nodes"].create("node-1", spec={})
    BY_ID["nodes"].create("node-2", spec={"unschedulable": True})
    services = BY_ID["services"]
    port = [{"port": 80}]
    services.create("headless", "a", spec={"clusterIP": "None", "ports": port})
    services.create("fixed", "a", spec={"clusterIP": "10.0.0.77", "ports": port})
    services.create("outer", "b", spec={"type": "ExternalName", "externalName": "x.example.com"})
    secrets = BY_ID["secrets"]
    for i, kind in enumerate([None, "Opaque", "kubernetes.io/basic-auth"] + ODD):
        secrets.create(f"s{i}", "a", **({} if kind is None else {"type": kind}), stringData={"username": "u"})
    BY_ID["persistentvolumes"].create("pv", spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}})
    template = {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": [container]}}
    controllers = BY_ID["replicationcontrollers"]
    controllers.create("none", "a", spec={"replicas": 0, "selector": {"x": "y"}, "template": template})
    controllers.create("three", "b", spec={"replicas": 3, "selector": {"x": "y"}, "template": template}, status={"replicas": 3})
    jobs = BY_ID["jobs.batch"]
    job = {"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}}
    jobs.create("fresh", "a", spec=job)
    jobs.create("two", "b", spec={**job, "completions": 3}, status={"succeeded": 2, "startTime": "2026-01-01T00:00:00Z"})
    BY_ID["deployments.apps"].create("web", "a", spec={"selector": {"matchLabels": {"x": "y"}}, "template": template})
    BY_ID["leases.coordination.k8s.io"].create("lease", "a", spec={"holderIdentity": "me"})
    BY_ID["cronjobs.batch"].create("nightly", "a", spec={"schedule": "0 0 * * *", "jobTemplate": {"spec": job}})
    events = BY_ID["events"]
    regarding = {"kind": "Pod", "namespace": "a", "name": "p", "uid": "u-1", "apiVersion": "v1", "resourceVersion": "12", "fieldPath": "spec.containers{c}"}
    events.create("full", "a", involvedObject=regarding, reason="Started", type="Normal", source={"component": "kubelet", "host": "n"})
    events.create("reported", "a", involvedObject={"namespace": "a"}, reason="Began", type="Warning", reportingComponent="example.com/ctl",
                  reportingInstance="i", action="x", eventTime="2026-01-01T00:00:00.000000Z")
    events.create("both", "a", involvedObject={"namespace": "a", "kind": "Node"}, reason="Both", type="Normal", source={"component": "src"},
                  reportingComponent="example.com/ctl", reportingInstance="i", action="x", eventTime="2026-01-01T00:00:00.000000Z")
    for i, text in enumerate(ODD):
        events.create(f"odd{i}", "a", involvedObject={"namespace": "a", "name": text}, reason=text, source={"component": text})
    bundles = BY_ID["clustertrustbundles.certificates.k8s.io"]
    bundles.create("plain", spec={"trustBundle": openssl("-x509")})
    bundles.create("example.com:y:signed", spec={"trustBundle": openssl("-x509"), "signerName": "example.com/y"})
    BY_ID["certificatesigningrequests.certificates.k8s.io"].create(
        "csr", spec={"request": base64.b64encode(openssl().encode()).decode(), "signerName": "example.com/y", "usages": ["client auth"]})
    slices = BY_ID["resourceslices.resource.k8s.io"]
    for name, node in ("s1", "node-1"), ("s2", None):
        place = {"nodeName": node} if node else {"allNodes": True}
        slices.create(name, spec={"driver": "d.example.com", "pool": {"name": name, "generation": 1, "resourceSliceCount": 1}, "devices": [], **place})
    widgets = BY_ID["widgets.example.com"]
    for attempt in range(50):
        if call("GET", widgets.path())[0] == 200 and call("GET", BY_ID["gadgets.example.com"].path())[0] == 200 \
                and call("GET", BY_ID["plains.example.com"].path())[0] == 200:
            break
        time.sleep(0.2)
    widgets.create("empty", "a")
    widgets.create("null", "a", spec={"color": None})
    widgets.create("red", "a", spec={"color": "red", "count": 7, "on": True, "deep": {"er": "x"}}, top="t")
    widgets.create("zero", "b", spec={"color": "", "count": 0, "on": False, "deep": {}})
    widgets.create("big", "b", spec={"count": 9007199254740993, "color": "true"})
    widgets.create("float", "b", spec={"count": 7.0})
    widgets.create("negative", "b", spec={"count": -5, "color": "null"})
    for i, text in enumerate(ODD):
        widgets.create(f"odd{i}", "a", spec={"color": text})
    BY_ID["gadgets.example.com"].create("g", spec={"color": "blue"})
    BY_ID["plains.example.com"].create("p", "a", spec={"color": "blue"})


def openssl(*options):
    command = ["openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", "/CN=x", *options]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def without_managed_fields(text):
    at = text.index('"managedFields":') if '"managedFields":' in text else -1
    if at < 0:
        return text
    _, end = json.JSONDecoder().raw_decode(text, at + len('"managedFields":'))
    return text[:at].rstrip(",") + text[end:] if text[at - 1] == "," else text[:at] + text[end:].lstrip(",")


RECORDED = set()


def key(item):
    return "/".join(filter(None, (item["metadata"].get("namespace"), item["metadata"]["name"])))


def ask(t, **selector):
    parameter, text = next(iter(selector.items()))
    code, answer = call("GET", t.path() + "?" + urllib.parse.urlencode({parameter: text}))
    kind = {"labelSelector": "labels", "fieldSelector": "fields"}[parameter]
    if code == 200:
        keys = sorted(k for k in map(key, json.loads(answer)["items"]) if t.id + k in RECORDED)
        out(list=t.id, **{kind: text}, keys=keys)
    elif code == 400:
        status = json.loads(answer)
        out(list=t.id, **{kind: text}, error=status["message"])
    else:
        sys.exit(f"{t.id} {text}: {code} {answer}")


LABELS = r"""
|a|!a|a=1|a==1|a!=1|a in (1)|a in (1,2)|a notin (1)|a notin (1,2)|a>1|a<11|a>010|a>9|n>7|n>6|n<9223372036854775807|n>9223372036854775806
a>9223372036854775808|a>-6|a>+4|a>=5|n>=5|a<=5|a=>5|a=<5|a>x|a>|a<|a>+x|a>1_0|a> 5|a>5,a<11|a>0x5|a>1.5
 a = 1 | a  in  ( 1 , 2 ) |a in(1)|a in( 1,2 )|a notin(1)|ain (1)|! a|!  a|a\t=\t1|a\n=\r1|a\u00a0=1|a\u000b=1
a in ()|a in (1,)|a in (,1)|a in (,)|a in (,,)|a in (1,,2)|a notin ()|a notin (1,)|a notin (,)|a=|a==|a!=|b=|b!=|b in ()|b notin ()
in|notin|exists|!in|!notin|in=in|in in (in)|in in (in,notin)|notin notin (notin)|notin in (notin)|in notin (in)|exists=exists|a in in|a notin in|in in|notin in
a=in|a=notin|a in (in|a in (notin,in)|a=!|a=(|a=)|a==,b|a=,b|a!=,b|a>,b|in=|in in ()
a,b|a,!b|!a,!b|a=1,b=x|a=1,a=2|a,a,a|a=1,a=1|b=x,a=2|a!=1,a!=2|a!=1,a|!b,a in (1,A)
,|a,|a=1,|,a|a,,b|a=1,,b=2|a, ,b|a=1=2|a==1=2|a=1==2|a===1|a====1|a!==1|a!!=1|!!a|!|!a=1|!a in (1)|!(a)|!,a|a!|a! |a !b|a!b|! !a
a b|a 1|a in|a in 1|a in (|a in )|a in (1|a in (1,|a in (1 2)|a in (1)b|a in (1),|a in (1)) |a in ((1)|a in (1=2)|a in (=)|a in (!)|a in (1,!2)|a in (1,=)|a in (>)
a notin|a notin 1|a notin (|a not in (1)|a IN (1)|a exists|a in(1,2),b notin(x|(a)|(a=1)|a)|)|(|=|==|!=|>|<|=1|==1|>1|=,|a=1 b=2|a=1;b=2|a=1&&b|a&b|a|b
a=-1|a=1-|a=_|a=.|a=1.|a=x-y|a=é|a="1"|a='1'|a=1/2|a=a:b|a=@|a=a*|a=*|a=$x|a in (é,1)|a in (-,_,é)|a in (1,-1)|a notin (x/y)|a=\u0001|a=\\|a="|a=\U0001f600|a=\u2028|a=\ufeff|a=\x7f|a=\u00ad
é|é=1|-a|a-|a/b|/a|a/|a//b|a/b/c|A/b|a.b/c|a..b/c|.a/b|a./b|-a/b|a_b/c|example.com/a|example.com/a=1|Example.com/a|example.com/-a|example.com/|/|//|example.com/a in (1,2)|!example.com/a|a_b.c-d|a_b.c-d=e_f.g-h|_a|a_|.a|a.|1|1=1|a"b|a'b|"|a\\b|a:b|*|a*|@|~a|a\x01b|a\x85b
A|A=1|a=A|A in (1)|team=a|team in (a,b)
a\x00|a\x00b|a=1\x00|a=\x001|\x00|\x00a|a=1,\x00|a in (1\x00)|a=\x00
""".strip("\n")


def label_selectors():
    result = [unescape(s) for line in LABELS.split("\n") for s in line.split("|")]
    for n in 63, 64:
        result += ["k" * n, "a=" + "v" * n, f"example.com/{'k' * n}", f"a in (1,{'v' * n})", "a=" + "é" * (n // 2)]
    for n in 253, 254:
        prefix = ("p" * 63 + ".") * 4
        result += [prefix[:n - 1] + "p/a", prefix[:n - 1] + "P/a", "P" * n + "/" + "k" * 64]
    result += ["K" * 64 + "-", "a=" + "-" * 64, "a>" + "9" * 64, "a in (" + "v" * 64 + ",-)"]
    words = ["a", "b", "in", "notin", "1", "2", "10", "x", "=", "==", "!=", "!", "(", ")", ",", ",", ">", "<", " ", " ", "n", "example.com/a", "-"]
    for _ in range(250):
        result.append("".join(random.choice(words) for _ in range(random.randint(1, 9))))
    values = ["", "1", "2", "10", "x", "A", "in"]
    for _ in range(150):
        parts = []
        for _ in range(random.randint(1, 4)):
            key = random.choice(["a", "b", "n", "in", "A", "example.com/a", "missing"])
            some = ",".join(random.choice(values) for _ in range(random.randint(1, 3)))
            one = random.choice(values)
            parts.append(random.choice([f"{key}={one}", f"{key}=={one}", f"{key}!={one}", f"{key} in ({some})", f"{key} notin ({some})", key, "!" + key,
                                        f"{key}>{random.choice(['0', '1', '9', '010'])}", f"{key}<{random.choice(['2', '11', '9223372036854775807'])}"]))
        result.append(random.choice([",", " , "]).join(parts))
    return dict.fromkeys(result)


def unescape(text):
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


FIELDS = r"""
|,|,,|metadata.name=c1|metadata.name==c1|metadata.name!=c1|metadata.name=c1,|,metadata.name=c1|metadata.name=c1,,metadata.namespace=a
metadata.name = c1|metadata.name= c1| metadata.name=c1|metadata.name=c1 ,metadata.namespace=a| |metadata.name|metadata.name=c1,x|x,metadata.name=c1|!metadata.name|metadata.name>c1|metadata.name in (c1)
metadata.namespace=a|metadata.namespace=|metadata.namespace!=a|metadata.namespace!=|metadata.name=|metadata.name!=|metadata.name=c1,metadata.name=c2|metadata.name=c1,metadata.name=c1|metadata.name!=c1,metadata.name!=c2
a=b=c|metadata.name=a=b|metadata.name==a=b|metadata.name===a|metadata.name!==a|metadata.name=!=a|metadata.name=a!=b|metadata.name!=a!=b|metadata.name!!=a
metadata.name=\\x|metadata.name=\\|metadata.name=\\\\|metadata.name=\\,|metadata.name=\\=|metadata.name=a\\,b|metadata.name=a\\=b\\\\c|metadata.name=\\é|metadata.name=\\\U0001f600|metadata.name=\\ |metadata.name=\\n
a\\=b|a\\,b=c|a\\|\\|\\,|metadata.name=a\\,metadata.namespace=b|metadata.name\\=c1
=|==|!=|=x|!=x|=,x|x=|x!=|x==|x=y|"x"=y|x\ty=z|é=1|\U0001f600=1|x\u00a0=1|x\u0001=1|x\u2028=1|x\x7f=1|x\u00ad=1|x'=1|x\ufeff=1
zz=1,aa=2|aa=2,zz=1|zz=1,bad|bad,zz=1|zz=1,aa=b=c|zz=\\q,aa=1|\U0001f600=1,\uffee=2|\uffee,\U0001f600|aa!=1,aa=1|aa=1,aa!=1|metadata.labels=x|metadata.uid=x|metadata.Name=x|Metadata.name=x|.metadata.name=x|name=x|status.phase=Running|spec.nodeName=x
""".strip("\n")


def field_values(t):
    """Labels to ask for, with values worth asking for."""
    odd = [v.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=") for v in ODD]
    seven = {"kind": ["Pod", ""], "namespace": ["a"], "name": ["p", ""] + odd, "uid": ["u-1"], "apiVersion": ["v1"], "resourceVersion": ["12", "012"],
             "fieldPath": ["spec.containers{c}"]}
    special = {
        "pods": {"spec.nodeName": ["", "node-1"], "spec.host": ["", "node-1", "node-2"], "spec.restartPolicy": ["Always", "Never", ""],
                 "spec.schedulerName": ["default-scheduler", "mine"], "spec.serviceAccountName": ["", "robot", "default"],
                 "spec.hostNetwork": ["true", "false", "True", "", "1"], "status.phase": ["Pending", "Running"], "status.podIP": ["", "10.1.0.1", "fd00::1"],
                 "status.podIPs": ["", "10.1.0.1"], "status.nominatedNodeName": ["", "node-2"], "spec.priority": ["0"], "status.hostIP": [""]},
        "nodes": {"spec.unschedulable": ["true", "false", "", "False"], "spec.podCIDR": [""]},
        "namespaces": {"status.phase": ["Active", "Terminating", ""], "name": ["a"]},
        "services": {"spec.clusterIP": ["None", "10.0.0.77", ""], "spec.type": ["ClusterIP", "ExternalName", ""]},
        "secrets": {"type": ["Opaque", "", "kubernetes.io/basic-auth"] + odd},
        "replicationcontrollers": {"status.replicas": ["0", "3", "", "03"]},
        "events": {**{"involvedObject." + k: v for k, v in seven.items()}, "reason": ["Started", ""] + odd, "type": ["Normal", "Warning", ""],
                   "reportingComponent": ["", "example.com/ctl", "kubelet"], "source": ["", "kubelet", "src", "example.com/ctl"] + odd, "reportingController": [""],
                   "source.component": ["kubelet"]},
        "events.events.k8s.io": {**{"regarding." + k: v for k, v in seven.items()}, "reason": ["Started", ""] + odd, "type": ["Normal", "Warning"],
                          "reportingController": ["", "example.com/ctl"], "source": ["kubelet"], "reportingComponent": [""], "involvedObject.name": ["p"]},
        "jobs.batch": {"status.successful": ["0", "2", "", "02"], "status.succeeded": ["2"]},
        "certificatesigningrequests.certificates.k8s.io": {"spec.signerName": ["example.com/y", ""]},
        "clustertrustbundles.certificates.k8s.io": {"spec.signerName": ["example.com/y", ""]},
        "podcertificaterequests.certificates.k8s.io": {"spec.signerName": ["example.com/y"], "spec.podName": ["x"], "spec.nodeName": ["x"]},
        "resourceslices.resource.k8s.io": {"spec.nodeName": ["node-1", ""], "spec.driver": ["d.example.com"]},
        "widgets.example.com": {"spec.color": ["red", "", "null", "<nil>", "true"] + odd, "spec.count": ["7", "07", "0", "", "9007199254740993", "-5", "7.0"],
                                "spec.on": ["true", "false", "", "True"], "spec.deep.er": ["x", ""], "top": ["t", ""], "spec.deep": [""], ".spec.color": ["red"]},
        "gadgets.example.com": {"spec.color": ["blue"], "spec.count": ["1"]},
        "plains.example.com": {"spec.color": ["blue"]},
    }
    names = {"configmaps": "c1", "nodes": "node-1", "namespaces": "a", "pods": "placed", "persistentvolumes": "pv", "widgets.example.com": "red",
             "gadgets.example.com": "g"}
    common = {"metadata.name": [names.get(t.id, "web"), ""], "metadata.namespace": ["a", "b", ""], "spec.nodeName": ["x"], "status.phase": ["x"], "x": ["y"],
              "metadata.uid": ["x"]}
    return {**common, **special.get(t.id, {})}


def main():
    fill()
    for t in TYPES:
        out(type=t.id, group=t.group, version=t.version, resource=t.resource, kind=t.kind, namespaced=t.namespaced, custom=t.custom, selectable=t.selectable)
    for t in TYPES:
        code, text = call("GET", t.path())
        if code != 200:
            sys.exit(f"{t.id}: {code} {text}")
        if t.id in ("clusterroles.rbac.authorization.k8s.io", "apiservices.apiregistration.k8s.io"):
            continue  # dozens of the server's own, that only their names are asked of
        for item in json.loads(text)["items"]:
            _, one = call("GET", f"{t.path(item['metadata'].get('namespace'))}/{item['metadata']['name']}")
            out(of=t.id, object=without_managed_fields(one.strip()))
            RECORDED.add(t.id + key(item))
    for selector in label_selectors():
        ask(BY_ID["configmaps"], labelSelector=selector)
    for line in FIELDS.split("\n"):
        for selector in line.split("|"):
            ask(BY_ID["configmaps"], fieldSelector=unescape(selector))
    for t in TYPES:
        for label, values in field_values(t).items():
            for value in values:
                ask(t, fieldSelector=f"{label}={value}")
                ask(t, fieldSelector=f"{label}!={value}")


main()
