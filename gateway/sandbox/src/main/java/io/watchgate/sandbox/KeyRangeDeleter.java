package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.json.KubeObject;

/**
 * Handler that deletes all objects of a key range. Objects with finalizers are marked, and removed
 * once their finalizers are. Called with the store's lock held.
 */
final class KeyRangeDeleter {
  private final ObjectStore store;

  KeyRangeDeleter(ObjectStore store) {
    this.store = store;
  }

  void deleteAll(StoredType type, KeyRange range) {
    StateCursor objects = type.state().cursor(range); // a snapshot, unaffected by the removals
    for (KubeObject object = objects.peek(); object != null; object = objects.peek()) {
      objects.advance();
      JsonObject tree = StoredType.copyOf(object);
      JsonObject metadata = Metadata.of(tree);
      if (!JsonTree.has(metadata, Metadata.FINALIZERS)) {
        store.remove(type, object);
      } else if (!JsonTree.has(metadata, Metadata.DELETED)
          || JsonTree.number(metadata, 0, Metadata.GRACE) > 0) { // now immediate
        metadata.addProperty(Metadata.DELETED, store.now());
        metadata.addProperty(Metadata.GRACE, 0);
        store.putMarked(type, tree);
      }
    }
  }

  static boolean isEmpty(StoredType type, KeyRange range) {
    return type.state().cursor(range).peek() == null;
  }
}
