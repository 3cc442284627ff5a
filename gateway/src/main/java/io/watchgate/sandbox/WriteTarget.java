package io.watchgate.sandbox;

import io.watchgate.cache.ApiResource;

/**
 * What a write is about.
 *
 * @param version the version that the request speaks
 * @param namespace empty for cluster-scoped types
 * @param name empty for a new object, and for all
 */
record WriteTarget(StoredType stored, StoredVersion version, String namespace, String name) {
  ApiResource type() {
    return version.type();
  }

  TypeStrategy rules() {
    return stored.rules();
  }

  WriteTarget named(String other) {
    return new WriteTarget(stored, version, namespace, other);
  }
}
