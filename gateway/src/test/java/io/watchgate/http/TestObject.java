package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;

/**
 * Object as in a watch of an apiserver.
 *
 * @param labels text inside of the braces
 * @param rest text after the metadata, from its comma on
 */
record TestObject(String namespace, String name, long version, String labels, String rest) {

  static TestObject of(String namespace, String name) {
    return new TestObject(namespace, name, 0, "", "");
  }

  TestObject at(long newVersion) {
    return new TestObject(namespace, name, newVersion, labels, rest);
  }

  TestObject labelled(String label, String value) {
    return new TestObject(namespace, name, version, "\"" + label + "\":\"" + value + "\"", rest);
  }

  TestObject with(String newRest) {
    return new TestObject(namespace, name, version, labels, newRest);
  }

  String metadata() {
    return "{\"name\":\"%s\",%s\"uid\":\"u-%s\",\"resourceVersion\":\"%d\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"%s}"
        .formatted(
            name,
            namespace.isEmpty() ? "" : "\"namespace\":\"" + namespace + "\",",
            name,
            version,
            labels.isEmpty() ? "" : ",\"labels\":{" + labels + "}");
  }

  /**
   * Returns JSON with kind and apiVersion: at the front for a built-in type, sorted for a custom
   * one.
   */
  String json(TypeDefinition type) {
    String kind = type.type().kind();
    String apiVersion = type.type().apiVersion();
    return (type.isCustom()
            ? "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":%s%s}"
            : "{\"kind\":\"%2$s\",\"apiVersion\":\"%1$s\",\"metadata\":%3$s%4$s}")
        .formatted(apiVersion, kind, metadata(), rest);
  }

  /** Returns JSON as an item of a list of a built-in type. */
  String item() {
    return "{\"metadata\":" + metadata() + rest + "}";
  }
}
