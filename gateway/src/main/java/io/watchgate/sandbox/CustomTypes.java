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
 * Serves what CustomResourceDefinitions define, from the moment they do. A definition that changes
 * gives its type new caches, without history: open watches end, and none goes on from before.
 * Called with the store's lock held.
 */
final class CustomTypes {
  private final ObjectStore store;
  private final SandboxTypes types;
  private final DeleteCollectionHandler emptying;
  private final CacheFactory caches;

  /** By the name of the definition. */
  private final Map<String, Served> served = new HashMap<>();

  CustomTypes(
      ObjectStore store,
      SandboxTypes types,
      DeleteCollectionHandler emptying,
      CacheFactory caches) {
    this.store = store;
    this.types = types;
    this.emptying = emptying;
    this.caches = caches;
  }

  /**
   * A type that is served.
   *
   * @param generation of the definition that it is served by: changes with every change of its spec
   */
  private record Served(StoredType type, long generation) {}

  /** A definition was written: serves what it says. Returns it with what its status then says. */
  JsonObject define(JsonObject definition) throws StatusException {
    String name = JsonTree.text(definition, "metadata", Metadata.NAME);
    if (JsonTree.has(definition, "metadata", Metadata.DELETED)) {
      finish(name);
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
    store.adopt(type);
    if (before == null) {
      types.add(type);
    } else {
      types.replace(before.type, type);
      retire(before.type);
    }
    return accepted(definition);
  }

  private static List<JsonObject> objects(StoredType type) {
    List<JsonObject> objects = new ArrayList<>();
    StateCursor cursor = type.state().cursor(KeyRange.ALL);
    for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
      objects.add(StoredType.tree(object));
      cursor.advance();
    }
    return objects;
  }

  private void retire(StoredType type) {
    store.drop(type);
    type.versions().forEach(version -> version.cache().end());
  }

  /** Names are taken as they come: nobody else defines types here. */
  private JsonObject accepted(JsonObject definition) throws StatusException {
    JsonObject status = JsonTree.objectOrNew(definition, "status");
    JsonObject before = status.deepCopy();
    if (JsonTree.objects(status, "conditions").isEmpty()) {
      Conditions.add(definition, "NamesAccepted", "NoConflicts", "no conflicts found", store.now());
      Conditions.add(
          definition,
          "Established",
          "InitialNamesAccepted",
          "the initial names have been accepted",
          store.now());
    }
    JsonObject names = JsonTree.object(definition, "spec", "names");
    status.add("acceptedNames", names == null ? new JsonObject() : names.deepCopy());
    if (!ObjectNormalizer.same(before, status)) {
      store.put(types.definitions(), definition);
    }
    return definition;
  }

  /** A definition is to go, and marked so: its objects go. */
  void end(JsonObject definition) throws StatusException {
    String name = JsonTree.text(definition, "metadata", Metadata.NAME);
    Served ending = served.get(name);
    if (ending != null) {
      emptying.empty(ending.type, KeyRange.ALL);
    }
    finish(name);
  }

  /** An object of that type is gone. */
  void finish(StoredType type) {
    finish(type.type().groupResource());
  }

  /** If the definition is to go, and nothing of its type is left, it goes, and the type with it. */
  private void finish(String name) {
    KubeObject definition = types.definitions().find("", name);
    Served ending = served.get(name);
    if (definition == null || (ending != null && ending.type.state().size() > 0)) {
      return;
    }
    JsonObject metadata = Metadata.of(StoredType.tree(definition));
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
