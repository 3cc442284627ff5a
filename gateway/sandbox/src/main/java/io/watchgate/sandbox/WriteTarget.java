package io.watchgate.sandbox;

import io.watchgate.cache.ApiResource;

/**
 * Object or collection that a write addresses.
 *
 * @param version version of the request
 * @param namespace empty for cluster-scoped types
 * @param name empty for a new object and for a collection
 */
record WriteTarget(StoredType storedType, StoredVersion version, String namespace, String name) {
  ApiResource type() {
    return version.type();
  }

  TypeStrategy strategy() {
    return storedType.strategy();
  }

  WriteTarget withName(String other) {
    return new WriteTarget(storedType, version, namespace, other);
  }
}
