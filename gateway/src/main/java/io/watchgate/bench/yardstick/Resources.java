package io.watchgate.bench.yardstick;

/** The objects of a type in a namespace. */
record Resources(String namespace, String plural) {
  String path() {
    return "api/v1/namespaces/%s/%s".formatted(namespace, plural);
  }
}
