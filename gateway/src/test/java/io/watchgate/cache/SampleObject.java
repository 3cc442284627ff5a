package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;

/**
 * Sample object for tests: similar to a ConfigMap, with the fields that the gateway reads, and some
 * padding.
 */
public record SampleObject(
    String namespace, String name, String uid, String version, String labels, int padding) {

  public static SampleObject of(String namespace, String name, long version) {
    return new SampleObject(namespace, name, "u-" + name, Long.toString(version), "", 0);
  }

  public SampleObject uid(String newUid) {
    return new SampleObject(namespace, name, newUid, version, labels, padding);
  }

  public SampleObject at(String newVersion) {
    return new SampleObject(namespace, name, uid, newVersion, labels, padding);
  }

  public SampleObject at(long newVersion) {
    return at(Long.toString(newVersion));
  }

  /** Returns a copy with one label {@code app}. */
  public SampleObject app(String value) {
    String json = "\"labels\":{\"app\":\"" + value + "\"},";
    return new SampleObject(namespace, name, uid, version, json, padding);
  }

  public SampleObject padding(int bytes) {
    return new SampleObject(namespace, name, uid, version, labels, bytes);
  }

  public String json() {
    return "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\""
        + name
        + (namespace.isEmpty() ? "" : "\",\"namespace\":\"" + namespace)
        + "\","
        + labels
        + "\"uid\":\""
        + uid
        + "\",\"resourceVersion\":\""
        + version
        + "\",\"managedFields\":[{\"manager\":\"m\"}]},\"data\":{\"a\":\""
        + "x".repeat(padding)
        + "\"}}";
  }

  public byte[] bytes() {
    return json().getBytes(StandardCharsets.UTF_8);
  }

  public KubeObject view() {
    try {
      return KubeObject.read(bytes(), FieldPaths.NONE);
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }
}
