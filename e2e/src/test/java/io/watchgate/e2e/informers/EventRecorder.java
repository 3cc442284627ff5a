package io.watchgate.e2e.informers;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Recorder of a measured informer's events: counts all events and prints those of {@linkplain Pods
 * closely watched} pods immediately. Thread-safe.
 */
final class EventRecorder {
  /** System property of a JVM that detects events without a change; costs heap and time. */
  static final String JUDGES = "judges";

  private final CountDownLatch missing;
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong again = new AtomicLong();

  /** Last received state by namespace and name; null: not recorded. */
  private final @Nullable Map<String, String> known =
      Boolean.getBoolean(JUDGES) ? new ConcurrentHashMap<>() : null;

  EventRecorder(int expected) {
    missing = new CountDownLatch(expected);
  }

  void add(String namespace, String name, String uid, String version) {
    missing.countDown();
    tell("add", namespace, name, uid + "@" + version);
  }

  void update(String namespace, String name, String uid, String version) {
    tell("update", namespace, name, uid + "@" + version);
  }

  void delete(String namespace, String name) {
    tell("delete", namespace, name, "");
  }

  private void tell(String what, String namespace, String name, String state) {
    events.incrementAndGet();
    if (known != null) {
      String key = namespace + "/" + name;
      String before = state.isEmpty() ? known.remove(key) : known.put(key, state);
      if (state.equals(before)) {
        again.incrementAndGet();
      }
      if (name.startsWith(Pods.CLOSELY)) {
        System.out.println("told " + what + " " + name + " " + state);
      }
    }
  }

  /** Returns once the expected number of pods has been received. */
  void awaitAll() throws InterruptedException {
    missing.await();
  }

  /** Returns the number of events. */
  long events() {
    return events.get();
  }

  /** Returns the number of events with a state that had been received before. */
  long again() {
    return again.get();
  }
}
