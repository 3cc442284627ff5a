package io.watchgate.bench.baseline;

/** The objects of a type in a namespace. */
record NamespacedType(String namespace, String plural) {
  String path() {
    return "api/v1/namespaces/%s/%s".formatted(namespace, plural);
  }
}
