package io.watchgate.e2e.promises;

import com.google.protobuf.ByteString;
import io.watchgate.check.RecordedEvent;
import io.watchgate.check.RecordedKind;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.ResourceVersions;
import io.watchgate.informer.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Handler that records the changes of an informer, and changes that contradict earlier ones. The
 * judge checks the rest. Thread-safe.
 */
final class HandlerRecorder implements Handler<ByteString> {
  private final String name;
  private final Duration pace;
  private final Runnable then;
  private final List<RecordedEvent> events = new ArrayList<>();
  private final Map<NamespacedName, StoredObject<ByteString>> known = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private boolean isSynced;

  /**
   * @param pace duration of each call
   * @param then action in each call, without a lock
   */
  HandlerRecorder(String name, Duration pace, Runnable then) {
    this.name = name;
    this.pace = pace;
    this.then = then;
  }

  @Override
  public void onAdd(StoredObject<ByteString> object) {
    synchronized (this) {
      known.put(object.key(), object);
      events.add(InformerSessions.event(RecordedKind.ADDED, HeldObject.of(object)));
    }
    rest();
  }

  @Override
  public void onUpdate(StoredObject<ByteString> before, StoredObject<ByteString> after) {
    synchronized (this) {
      @Nullable StoredObject<ByteString> was = known.put(after.key(), after);
      expect(before.equals(was), "updated from what it was not told", after);
      if (!InformerSessions.isOtherForm(HeldObject.of(before), HeldObject.of(after))) {
        expect(
            ResourceVersions.compare(before.resourceVersion(), after.resourceVersion()) < 0,
            "updated backwards",
            after);
        events.add(InformerSessions.event(RecordedKind.MODIFIED, HeldObject.of(after)));
      }
    }
    rest();
  }

  @Override
  public void onDelete(StoredObject<ByteString> last, DeletionReason removal) {
    synchronized (this) {
      known.remove(last.key());
      events.add(InformerSessions.removed(HeldObject.of(last), last.resourceVersion(), removal));
    }
    rest();
  }

  @Override
  public synchronized void onSynced() {
    if (isSynced) {
      wrong.add(name + " was synced twice");
    }
    isSynced = true;
  }

  private void rest() {
    then.run();
    LockSupport.parkNanos(pace.toNanos());
  }

  private void expect(boolean holds, String otherwise, StoredObject<ByteString> object) {
    if (!holds) {
      wrong.add(name + " was " + otherwise + ": " + object);
    }
  }

  String name() {
    return name;
  }

  /** Returns the changes in the judge's form, in the order of arrival. */
  synchronized List<RecordedEvent> events() {
    return List.copyOf(events);
  }

  /** Returns the state after all changes. */
  synchronized Map<NamespacedName, StoredObject<ByteString>> known() {
    return Map.copyOf(known);
  }

  /** Returns the contradictions, in a sentence each. */
  synchronized List<String> wrong() {
    return List.copyOf(wrong);
  }
}
