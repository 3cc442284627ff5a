package io.watchgate.e2e.promises;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.Session;
import io.watchgate.check.Truth;
import io.watchgate.client.WatchClient;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.HandlerRegistration;
import io.watchgate.informer.HandlerSettings;
import io.watchgate.informer.Informer;
import io.watchgate.informer.InformerEndedException;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.Snapshot;
import io.watchgate.informer.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Informer with records of each store state that a waiting thread observes, and of the changes that
 * its handlers receive. Thread-safe.
 */
final class JudgedInformer implements JudgedStore {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Slow, so that changes queue up and are combined. */
  private static final Duration SLOW = Duration.ofMillis(20);

  private final InformerSelection interest;
  private final Informer<ByteString> informer;
  private final List<Snapshot<ByteString>> snapshots = new ArrayList<>();
  private final List<HandlerRecorder> gone = new ArrayList<>();
  private final Map<HandlerRecorder, HandlerRegistration> registrations = new HashMap<>();
  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final Thread watcher;
  private int latecomers;
  private @Nullable HandlerRecorder latecomer;
  private volatile boolean closed;

  JudgedInformer(WatchClient client, InformerSelection interest) {
    this.interest = interest;
    this.informer =
        interest
            .ask(Informer.of(client, interest.name(), Decoder.raw()))
            .onProblem(problem -> wrong.add(interest + ": " + problem.text()))
            .start();
    add("all", HandlerSettings.DEFAULT.withCapacity(2), Duration.ZERO);
    add("newest", HandlerSettings.DEFAULT.conflating(), SLOW);
    watcher = Thread.ofVirtual().name("judged informer").start(this::recordSnapshots);
  }

  private HandlerRecorder add(String name, HandlerSettings settings, Duration pace) {
    HandlerRecorder recorder =
        new HandlerRecorder(interest + ", " + name, pace, this::recordSnapshot);
    registrations.put(recorder, informer.addHandler(recorder, settings));
    return recorder;
  }

  /**
   * Reads and records under one lock, so that states are recorded in the order in which they were
   * published.
   */
  private void recordSnapshot() {
    synchronized (snapshots) {
      Snapshot<ByteString> now = informer.snapshot();
      if (informer.isSynced() && (snapshots.isEmpty() || snapshots.getLast() != now)) {
        snapshots.add(now);
      }
    }
  }

  private @Nullable Snapshot<ByteString> last() {
    synchronized (snapshots) {
      return snapshots.isEmpty() ? null : snapshots.getLast();
    }
  }

  private void recordSnapshots() {
    while (!closed) {
      @Nullable Snapshot<ByteString> last = last();
      try {
        informer.await(now -> now != last, PATIENCE);
        recordSnapshot();
      } catch (TimeoutException e) {
        // No change, or not connected.
      } catch (InformerEndedException e) {
        if (!closed) {
          wrong.add(interest + " has ended: " + e.getMessage());
        }
        return;
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Replaces one of the handlers by a new one. */
  @Override
  public void replaceHandler() {
    @Nullable HandlerRecorder replaced = latecomer;
    if (replaced != null) {
      HandlerRegistration registration = registrations.remove(replaced);
      if (registration != null) {
        registration.close();
      }
      gone.add(replaced);
    }
    latecomers++;
    latecomer =
        add(
            "latecomer " + latecomers,
            latecomers % 2 == 0
                ? HandlerSettings.DEFAULT.withCapacity(1)
                : HandlerSettings.DEFAULT.conflating(),
            latecomers % 2 == 0 ? Duration.ZERO : SLOW);
  }

  @Override
  public String language() {
    return "Java";
  }

  @Override
  public InformerSelection interest() {
    return interest;
  }

  /** Waits until the handlers, too, have received the last change. */
  @Override
  public List<Session> settled(Truth truth, Duration limit) throws InterruptedException {
    CheckedVersion end =
        truth.changes().isEmpty() ? truth.begin() : truth.changes().getLast().state().version();
    try {
      Snapshot<ByteString> last = informer.awaitAtLeast(end.toString(), limit);
      awaitTold(last, limit);
    } catch (TimeoutException | InformerEndedException e) {
      wrong.add(interest + " does not come to " + end + ": " + e.getMessage());
    }
    close();
    recordSnapshot();
    List<Session> sessions = new ArrayList<>();
    synchronized (snapshots) {
      sessions.add(
          InformerSessions.ofStore(
              interest + ", its store", interest, snapshots.stream().map(StoreState::of).toList()));
    }
    String last = informer.snapshot().resourceVersion();
    registrations.keySet().forEach(one -> sessions.add(ofHandler(one, truth, last)));
    gone.forEach(one -> sessions.add(ofHandler(one, truth, "")));
    return sessions;
  }

  private Session ofHandler(HandlerRecorder one, Truth truth, String end) {
    return InformerSessions.ofHandler(one.name(), one.events(), interest, truth.begin(), end);
  }

  private void awaitTold(Snapshot<ByteString> last, Duration limit) {
    Map<NamespacedName, StoredObject<ByteString>> held = new HashMap<>();
    last.forEach(object -> held.put(object.key(), object));
    try {
      await()
          .atMost(limit)
          .until(() -> registrations.keySet().stream().allMatch(one -> one.known().equals(held)));
    } catch (ConditionTimeoutException e) {
      wrong.add(interest + ": not all handlers were told of what is held");
    }
  }

  @Override
  public boolean isSynced() {
    return informer.isSynced();
  }

  @Override
  public int stateCount() {
    synchronized (snapshots) {
      return snapshots.size();
    }
  }

  @Override
  public List<String> wrong() {
    List<String> all = new ArrayList<>(wrong);
    registrations.keySet().forEach(one -> all.addAll(one.wrong()));
    gone.forEach(one -> all.addAll(one.wrong()));
    return all;
  }

  @Override
  public void close() {
    closed = true;
    informer.close();
    watcher.interrupt();
  }
}
