package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Registry of the types that CustomResourceDefinitions define. A type is served as soon as its
 * definition is written. If a definition changes, its type gets new caches without history: open
 * watches end, and no watch can resume from before. Called with the store's lock held.
 */
final class CustomTypes {
  private final ObjectStore store;
  private final SandboxTypes types;
  private final KeyRangeDeleter collectionDeleter;
  private final CacheFactory caches;

  /** Keyed by the name of the definition. */
  private final Map<String, Served> served = new HashMap<>();

  CustomTypes(
      ObjectStore store,
      SandboxTypes types,
      KeyRangeDeleter collectionDeleter,
      CacheFactory caches) {
    this.store = store;
    this.types = types;
    this.collectionDeleter = collectionDeleter;
    this.caches = caches;
  }

  /**
   * A type that is served.
   *
   * @param generation generation of the definition; it increases with every change of the spec
   */
  private record Served(StoredType type, long generation) {}

  /**
   * Requires room for the existing objects of a type in the versions that a definition adds. Called
   * before the definition is written.
   *
   * @throws StatusException 507 if there is none
   */
  void requireRoom(JsonObject definition) throws StatusException {
    Served before = served.get(JsonTree.text(definition, "metadata", Metadata.NAME));
    if (before != null) {
      int versions = new CrdReader(definition).served().size();
      store.requireRoomFor(before.type, versions - before.type.versions().size());
    }
  }

  /**
   * Serves the type of a definition that was written. Returns the definition with the resulting
   * status.
   */
  JsonObject define(JsonObject definition) throws StatusException {
    String name = JsonTree.text(definition, "metadata", Metadata.NAME);
    if (JsonTree.has(definition, "metadata", Metadata.DELETED)) {
      removeIfComplete(name);
      return definition;
    }
    long generation = JsonTree.number(definition, 0, "metadata", Metadata.GENERATION);
    Served before = served.get(name);
    if (before != null && before.generation == generation) {
      return definition;
    }
    CrdReader read = new CrdReader(definition);
    List<JsonObject> objects = before == null ? List.of() : objects(before.type);
    StoredType type = caches.custom(read, objects, store.version());
    served.put(name, new Served(type, generation));
    store.addBytesOf(type);
    if (before == null) {
      types.add(type);
    } else {
      types.replace(before.type, type);
      retire(before.type);
    }
    return acceptNames(definition);
  }

  private static List<JsonObject> objects(StoredType type) {
    List<JsonObject> objects = new ArrayList<>();
    StateCursor cursor = type.state().cursor(KeyRange.ALL);
    for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
      objects.add(StoredType.copyOf(object));
      cursor.advance();
    }
    return objects;
  }

  private void retire(StoredType type) {
    store.subtractBytesOf(type);
    type.versions().forEach(version -> version.cache().end());
  }

  /**
   * Accepts the names of a definition without a check for conflicts, because no other source
   * defines types here.
   */
  private JsonObject acceptNames(JsonObject definition) throws StatusException {
    JsonObject status = JsonTree.objectOrNew(definition, "status");
    JsonObject before = status.deepCopy();
    if (JsonTree.objects(status, "conditions").isEmpty()) {
      Conditions.set(definition, "NamesAccepted", "NoConflicts", "no conflicts found", store.now());
      Conditions.set(
          definition,
          "Established",
          "InitialNamesAccepted",
          "the initial names have been accepted",
          store.now());
    }
    JsonObject names = JsonTree.object(definition, "spec", "names");
    status.add("acceptedNames", names == null ? new JsonObject() : names.deepCopy());
    if (!ObjectNormalizer.isEqual(before, status)) {
      store.put(types.definitions(), definition);
    }
    return definition;
  }

  /** Deletes the objects of a definition that was marked as deleted. */
  void deleteObjects(JsonObject definition) {
    String name = JsonTree.text(definition, "metadata", Metadata.NAME);
    Served ending = served.get(name);
    if (ending != null) {
      collectionDeleter.deleteAll(ending.type, KeyRange.ALL);
    }
    removeIfComplete(name);
  }

  /** Removes the type's definition if it is marked as deleted and this was the last object. */
  void removeIfComplete(StoredType type) {
    removeIfComplete(type.type().groupResource());
  }

  /**
   * Removes the definition and its type if the definition is marked as deleted and no object of the
   * type remains.
   */
  private void removeIfComplete(String name) {
    KubeObject definition = types.definitions().find("", name);
    Served ending = served.get(name);
    if (definition == null || (ending != null && ending.type.state().size() > 0)) {
      return;
    }
    JsonObject metadata = Metadata.of(StoredType.copyOf(definition));
    if (!JsonTree.has(metadata, Metadata.DELETED) || JsonTree.has(metadata, Metadata.FINALIZERS)) {
      return;
    }
    if (ending != null) {
      served.remove(name);
      types.remove(ending.type);
      retire(ending.type);
    }
    store.remove(types.definitions(), definition);
  }
}
