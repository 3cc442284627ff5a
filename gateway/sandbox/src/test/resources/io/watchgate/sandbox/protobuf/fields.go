// Writes down which field of a built-in type has which number in protobuf, from the types' own tags:
//
//	cd e2e/apiserver && go run ../../gateway/sandbox/src/test/resources/io/watchgate/sandbox/protobuf/fields.go \
//	  > ../../gateway/sandbox/src/main/resources/io/watchgate/sandbox/protobuf/fields.txt
//
// A block is a message, its name first; then number, name in JSON and type of each field. A name that ends in ? is left out of JSON where
// its value is zero; inline: the members stand in the object around.
package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	policy "k8s.io/api/policy/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var kinds = []struct {
	apiVersion string
	object     any
}{
	{"v1", core.Binding{}}, {"v1", core.ConfigMap{}}, {"v1", core.Event{}}, {"v1", core.Namespace{}}, {"v1", core.Node{}}, {"v1", core.Pod{}},
	{"v1", core.Secret{}}, {"v1", core.Service{}},
	{"apiextensions.k8s.io/v1", apiextensions.CustomResourceDefinition{}},
	{"apps/v1", apps.Deployment{}}, {"apps/v1", apps.ReplicaSet{}}, {"autoscaling/v1", autoscaling.Scale{}},
	{"coordination.k8s.io/v1", coordination.Lease{}}, {"discovery.k8s.io/v1", discovery.EndpointSlice{}}, {"events.k8s.io/v1", events.Event{}},
	{"policy/v1", policy.Eviction{}}, {"*", meta.DeleteOptions{}},
}

// These write JSON of their own.
var special = map[string]string{
	"meta/v1.Time": "time", "meta/v1.MicroTime": "microtime", "resource.Quantity": "quantity", "intstr.IntOrString": "intorstring",
	"runtime.RawExtension": "raw", "apiextensions/v1.JSON": "raw", "meta/v1.FieldsV1": "raw",
	"apiextensions/v1.JSONSchemaPropsOrArray":       "schema-or-array",
	"apiextensions/v1.JSONSchemaPropsOrBool":        "schema-or-bool",
	"apiextensions/v1.JSONSchemaPropsOrStringArray": "schema-or-strings",
}

var blocks = map[string]string{}

func name(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	last := parts[len(parts)-1]
	if strings.HasPrefix(last, "v1") {
		last = parts[len(parts)-2] + "/" + last
	}
	return last + "." + t.Name()
}

func typeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32, reflect.Int64:
		return "int"
	case reflect.Float64:
		return "double"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + typeOf(t.Elem())
	case reflect.Map:
		return "{}" + typeOf(t.Elem())
	case reflect.Struct:
		if known, ok := special[name(t)]; ok {
			return known
		}
		describe(t)
		return name(t)
	}
	panic(t.String())
}

func describe(t reflect.Type) {
	if _, done := blocks[name(t)]; done {
		return
	}
	blocks[name(t)] = ""
	var lines strings.Builder
	for i := range t.NumField() {
		field := t.Field(i)
		wire := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(wire) < 2 {
			continue
		}
		json := strings.Split(field.Tag.Get("json"), ",")
		known := json[0]
		rest := strings.Join(json[1:], ",")
		switch {
		case known == "":
			known = "inline"
		case strings.Contains(rest, "omit") && field.Type.Kind() != reflect.Pointer:
			known += "?"
		}
		fmt.Fprintf(&lines, " %s %s %s\n", wire[1], known, typeOf(field.Type))
	}
	blocks[name(t)] = lines.String()
}

func main() {
	fmt.Println("# Numbers of fields in protobuf, of Kubernetes 1.36; made by fields.go, which says how to read it.\n\nkinds")
	for _, kind := range kinds {
		t := reflect.TypeOf(kind.object)
		describe(t)
		fmt.Println("", kind.apiVersion, t.Name(), name(t))
	}
	describe(reflect.TypeOf(apiextensions.JSONSchemaProps{}))
	names := make([]string, 0, len(blocks))
	for block := range blocks {
		names = append(names, block)
	}
	sort.Strings(names)
	for _, block := range names {
		fmt.Printf("\n%s\n%s", block, blocks[block])
	}
}
