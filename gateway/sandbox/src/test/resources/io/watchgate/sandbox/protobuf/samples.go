// Writes objects in protobuf (base64) and in JSON, one a line, as Go encodes the same value both ways:
//
//	cd e2e/apiserver && go run ../../gateway/sandbox/src/test/resources/io/watchgate/sandbox/protobuf/samples.go \
//	  > ../../gateway/sandbox/src/test/resources/io/watchgate/sandbox/protobuf/samples.txt
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

var samples = []string{
	`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n","labels":{"a":"b","":""}}}`,
	`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","creationTimestamp":"2026-01-02T03:04:05Z","generation":3,
	  "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":false}],"finalizers":["x"]},
	  "immutable":false,"data":{"k":"é\u0000\u2028"},"binaryData":{"b":"AAH/"}}`,
	`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"nodeName":"n","terminationGracePeriodSeconds":0,"activeDeadlineSeconds":-1,
	  "volumes":[{"name":"v","configMap":{"name":"m","defaultMode":420}},{"name":"e","emptyDir":{"sizeLimit":"1Gi"}}],
	  "containers":[{"name":"c","image":"i","args":["-a",""],"ports":[{"containerPort":80}],
	  "env":[{"name":"A","value":"b"},{"name":"B","valueFrom":{"secretKeyRef":{"name":"s","key":"k","optional":true}}}],
	  "resources":{"limits":{"cpu":"100m","memory":"1Gi"}},"livenessProbe":{"httpGet":{"path":"/","port":"http"},"periodSeconds":5},
	  "readinessProbe":{"tcpSocket":{"port":80}}}],"tolerations":[{"operator":"Exists","tolerationSeconds":0}]},
	  "status":{"phase":"Running","startTime":"2026-01-02T03:04:05Z","podIPs":[{"ip":"10.0.0.1"}],
	  "conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`,
	`{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},"status":{"capacity":{"cpu":"4"},"images":[{"names":["a"],"sizeBytes":9007199254740993}]}}`,
	`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"a":"Yg=="},"stringData":{"c":"d"},"type":"Opaque"}`,
	`{"kind":"Service","apiVersion":"v1","metadata":{"name":"s"},"spec":{"ports":[{"port":80,"targetPort":8080},{"port":81,"targetPort":"x"}]}}`,
	`{"kind":"Event","apiVersion":"v1","metadata":{"name":"e"},"involvedObject":{"kind":"Pod","fieldPath":"spec"},"count":2,
	  "firstTimestamp":"2026-01-02T03:04:05Z","lastTimestamp":null,"eventTime":"2026-01-02T03:04:05.678901Z"}`,
	`{"kind":"Binding","apiVersion":"v1","metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}`,
	`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"},
	  "matchExpressions":[{"key":"a","operator":"In","values":["b"]}]},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}},
	  "strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":0}}}}`,
	`{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"name":"r"},"spec":{"replicas":3},"status":{"replicas":3,"readyReplicas":2}}`,
	`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d"},"spec":{"replicas":3},"status":{"replicas":1}}`,
	`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},"spec":{"holderIdentity":"","renewTime":"2026-01-02T03:04:05.000000Z"}}`,
	`{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":"e"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"],
	  "conditions":{"ready":false}}],"ports":[{"port":80,"name":""}]}`,
	`{"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"e"},"regarding":{"kind":"Pod"},"note":"n","eventTime":null}`,
	`{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"},"deleteOptions":{"gracePeriodSeconds":0}}`,
	`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"u"},"propagationPolicy":"Background","dryRun":["All"]}`,
	`{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"w.e.com"},"spec":{"group":"e.com","scope":"Cluster",
	  "names":{"plural":"w","kind":"W"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","maximum":1.5,
	  "default":{"a":[1]},"enum":["x",1],"properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"additionalProperties":false},
	  "c":{"additionalProperties":{"type":"string"}}}}}}]}}`,
}

func main() {
	if err := apiextensions.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	for _, sample := range samples {
		object, kind, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(sample), nil, nil)
		if err != nil {
			panic(err)
		}
		object.GetObjectKind().SetGroupVersionKind(*kind)
		wire, err := runtime.Encode(serializer, object)
		if err != nil {
			panic(err)
		}
		text, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\t%s\n", base64.StdEncoding.EncodeToString(wire), text)
	}
}
