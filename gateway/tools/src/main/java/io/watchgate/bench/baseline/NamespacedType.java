package io.watchgate.bench.baseline;

/** A resource type in one namespace. */
record NamespacedType(String namespace, String plural) {
  String path() {
    return "api/v1/namespaces/%s/%s".formatted(namespace, plural);
  }
}
