package io.watchgate.informer;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Handler that checks each change against the state after the previous changes. Thread-safe. */
final class CheckingHandler implements Handler<ByteString> {
  private final Map<NamespacedName, StoredObject<ByteString>> known = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private boolean isSynced;

  @Override
  public synchronized void onAdd(StoredObject<ByteString> object) {
    check(known.put(object.key(), object) == null, "added twice", object);
  }

  @Override
  public synchronized void onUpdate(
      StoredObject<ByteString> before, StoredObject<ByteString> after) {
    @Nullable StoredObject<ByteString> was = known.put(after.key(), after);
    check(was == before, "updated from an unknown object", after);
    check(before.uid().equals(after.uid()), "updated to another object", after);
  }

  @Override
  public synchronized void onDelete(StoredObject<ByteString> last, DeletionReason removal) {
    @Nullable StoredObject<ByteString> was = known.remove(last.key());
    check(was != null && was.uid().equals(last.uid()), "deleted an unknown object", last);
  }

  @Override
  public synchronized void onSynced() {
    if (isSynced) {
      violations.add("synced twice");
    }
    isSynced = true;
  }

  private void check(boolean holds, String violation, StoredObject<ByteString> object) {
    if (!holds) {
      violations.add(violation + ": " + object);
    }
  }

  /** Returns the changes that contradict earlier changes. */
  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** Returns the state after all changes: key to uid, version and value. */
  synchronized Map<String, String> state() {
    Map<String, String> state = new TreeMap<>();
    known.forEach((key, object) -> state.put(key.toString(), text(object)));
    return state;
  }

  /** Returns the state of a store in the same form. */
  static Map<String, String> state(Snapshot<ByteString> snapshot) {
    Map<String, String> state = new TreeMap<>();
    snapshot.forEach(object -> state.put(object.key().toString(), text(object)));
    return state;
  }

  private static String text(StoredObject<ByteString> object) {
    return object.uid() + " " + object.resourceVersion() + " " + object.value().toStringUtf8();
  }
}
