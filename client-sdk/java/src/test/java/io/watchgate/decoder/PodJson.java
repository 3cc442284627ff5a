package io.watchgate.decoder;

import com.google.protobuf.ByteString;

/**
 * Sample pod as an apiserver writes it: with quantities, ports that are a number and a name, times
 * with and without fractions, {@code managedFields}, a number outside the range of a double, and a
 * field that no model has yet.
 */
final class PodJson {
  static final long GENERATION = 9_007_199_254_740_993L;

  static final String UNKNOWN = "invented";

  private static final String NEWER =
      "\"invented\":{\"limit\":12345678901234567890,\"ratio\":0.1},";

  private static final String TEXT =
      """
      {"apiVersion":"v1","kind":"Pod",
       "metadata":{"name":"web-0","namespace":"shop","uid":"4b1e4f2c-9d1f-4a57-a3f0-0d3c8b1d8a11",
         "resourceVersion":"8472938","generation":9007199254740993,
         "creationTimestamp":"2026-03-01T12:00:00Z",
         "labels":{"app":"web","tier":"front"},
         "managedFields":[{"manager":"kubelet","operation":"Update","apiVersion":"v1",
           "time":"2026-03-01T12:00:05Z","fieldsType":"FieldsV1","subresource":"status",
           "fieldsV1":{"f:status":{"f:phase":{}}}}]},
       "spec":{"nodeName":"node-1","invented":{"limit":12345678901234567890,"ratio":0.1},
         "containers":[{"name":"main","image":"example.test/web:1",
           "resources":{"requests":{"cpu":"250m","memory":"64Mi"}},
           "livenessProbe":{"httpGet":{"path":"/","port":8080}},
           "readinessProbe":{"httpGet":{"path":"/","port":"http"}}}]},
       "status":{"phase":"Running","startTime":"2026-03-01T12:00:01Z",
         "conditions":[{"type":"Ready","status":"True","lastProbeTime":null,
           "lastTransitionTime":"2026-03-01T12:00:04Z"}]}}
      """;

  private PodJson() {}

  static ByteString bytes() {
    return ByteString.copyFromUtf8(TEXT);
  }

  /** Returns the pod without the field that no model has. */
  static ByteString known() {
    return ByteString.copyFromUtf8(TEXT.replace(NEWER, ""));
  }
}
