package io.watchgate.fanout;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Pod of about 11 KiB as an apiserver prints it, of which a third is managedFields.
 *
 * @param condition JSON of its condition Ready
 */
record LargePod(int version, String condition) {
  static final String READY = condition("True", "10:00:09", "");
  static final String NOT_READY = condition("False", "10:42:17", "");

  /** The condition as a kubelet writes it. */
  static final String EXPLAINED =
      condition(
          "False",
          "10:42:17",
          ",\"reason\":\"ContainersNotReady\",\"message\":\"containers with unready status:"
              + " [web]\"");

  private static String condition(String status, String time, String more) {
    return "{\"type\":\"Ready\",\"observedGeneration\":1,\"status\":\"%s\",\"lastProbeTime\":null,\"lastTransitionTime\":\"2026-11-21T%sZ\"%s}"
        .formatted(status, time, more);
  }

  private static String repeat(int count, String template) {
    return IntStream.range(0, count)
        .mapToObj(i -> template.formatted(i, i * 7919 % 1000, i * 104_729 % 100_000))
        .collect(Collectors.joining(","));
  }

  String json() {
    return """
    {"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7d4b9c6f5d-x2x9z",\
    "generateName":"web-7d4b9c6f5d-","namespace":"team-42",\
    "uid":"8f14e45f-ceea-467f-a8d4-c7e2bd9c1a01","resourceVersion":"%d","generation":1,\
    "creationTimestamp":"2026-11-21T10:00:00Z",\
    "labels":{"app":"web","pod-template-hash":"7d4b9c6f5d","tier":"front"},\
    "annotations":{"example.com/config":"%s"},\
    "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d4b9c6f5d",\
    "uid":"11111111-ceea-467f-a8d4-c7e2bd9c1a01","controller":true,"blockOwnerDeletion":true}],\
    "managedFields":[{"manager":"kubelet","operation":"Update","apiVersion":"v1",\
    "fieldsType":"FieldsV1","fieldsV1":{%s}}]},\
    "spec":{"nodeName":"node-4711","restartPolicy":"Always","schedulerName":"default-scheduler",\
    "containers":[{"name":"web","image":"registry.example/web:1.2.3","env":[%s],\
    "resources":{"limits":{"cpu":"2","memory":"1Gi"}}},\
    {"name":"proxy","image":"registry.example/proxy:4.5","env":[%s]}]},\
    "status":{"phase":"Running","podIP":"10.1.2.3","startTime":"2026-11-21T10:00:00Z",\
    "conditions":[{"type":"PodScheduled","status":"True","lastProbeTime":null,\
    "lastTransitionTime":"2026-11-21T10:00:00Z"},%s,\
    {"type":"Initialized","status":"True","lastProbeTime":null,\
    "lastTransitionTime":"2026-11-21T10:00:02Z"}],\
    "containerStatuses":[%s]}}\
    """
        .formatted(
            version,
            "0123456789abcdef".repeat(20),
            repeat(70, "\"f:field%d\":{\"f:name\":{},\"k%d\":{\".\":{},\"f:v%d\":{}}}"),
            repeat(50, "{\"name\":\"WEB_%d\",\"value\":\"some-value-%d-%d\"}"),
            repeat(50, "{\"name\":\"PROXY_%d\",\"value\":\"another-value-%d-%d\"}"),
            condition,
            repeat(
                4,
                "{\"name\":\"c%d\",\"ready\":true,\"restartCount\":%d,\"started\":true,\"image\":\"r:%d\"}"));
  }
}
