package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.StateMap;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a type, served in one or more versions. Every write reads the objects of the first
 * version.
 */
final class StoredType {
  private final TypeStrategy strategy;
  private final List<StoredVersion> versions;

  StoredType(TypeStrategy strategy, List<StoredVersion> versions) {
    this.strategy = strategy;
    this.versions = List.copyOf(versions);
  }

  TypeStrategy strategy() {
    return strategy;
  }

  List<StoredVersion> versions() {
    return versions;
  }

  StoredVersion storedVersion() {
    return versions.getFirst();
  }

  ApiResource type() {
    return storedVersion().type();
  }

  /** Returns all current objects. */
  StateMap state() {
    return storedVersion().state();
  }

  @Nullable KubeObject find(String namespace, String name) {
    String key = namespace.isEmpty() ? name : namespace + "/" + name;
    return state().get(key.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a copy of an object that the caller may change. */
  static JsonObject copyOf(KubeObject object) {
    return JsonParser.parseString(new String(object.bytes(), StandardCharsets.UTF_8))
        .getAsJsonObject();
  }
}
