package io.watchgate.e2e.informers;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the handler of a measured informer is told: counted, and of pods that are {@linkplain Pods
 * watched closely} printed at once. Thread-safe.
 */
final class Told {
  /** Of a JVM that has to know which events say nothing new; costs heap and time. */
  static final String JUDGES = "judges";

  private final CountDownLatch missing;
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong again = new AtomicLong();

  /** Namespace and name to the state that was told last; null: nobody asks. */
  private final @Nullable Map<String, String> known =
      Boolean.getBoolean(JUDGES) ? new ConcurrentHashMap<>() : null;

  Told(int expected) {
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

  /** Returns once it was told of all that is to be there. */
  void awaitAll() throws InterruptedException {
    missing.await();
  }

  /** How often it was told of something. */
  long events() {
    return events.get();
  }

  /** How often of a state of an object that it was told of already. */
  long again() {
    return again.get();
  }
}
