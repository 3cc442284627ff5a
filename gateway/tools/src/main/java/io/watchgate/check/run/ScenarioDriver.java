package io.watchgate.check.run;

import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Driver of the subscribers. Each subscriber leaves and returns, stops and resumes reading, at
 * times of its own, and leaves a stream that is silent. Confined to the caller's thread.
 */
final class ScenarioDriver {
  private static final long TICK_MILLIS = 10;
  private static final long MIN_DELAY_NANOS = 100_000_000L;
  private static final long MAX_DELAY_NANOS = 5_000_000_000L;

  private final List<CheckSubscriber> subscribers;
  private final Random random;
  private final Map<CheckSubscriber, Long> due = new HashMap<>();
  private final List<CheckSubscriber> paused = new ArrayList<>();
  private final StoppedSubscribers stoppedSubscribers = new StoppedSubscribers();
  private long silentStreams;

  ScenarioDriver(List<CheckSubscriber> subscribers, Random random) {
    this.subscribers = List.copyOf(subscribers);
    this.random = random;
    subscribers.forEach(this::scheduleNext);
  }

  private void scheduleNext(CheckSubscriber subscriber) {
    // Many short waits, a few long ones.
    double share = random.nextDouble();
    due.put(
        subscriber,
        System.nanoTime()
            + MIN_DELAY_NANOS
            + (long) (share * share * (MAX_DELAY_NANOS - MIN_DELAY_NANOS)));
  }

  /** Executes all actions that are due, and sleeps for 10 ms. */
  void runDueActions(Function<WatchedType, CheckedVersion> written) throws InterruptedException {
    for (CheckSubscriber subscriber : subscribers) {
      subscriber.remember();
      if (recordIfStopped(subscriber)) {
        continue;
      }
      if (leaveIfSilent(subscriber)) {
        scheduleNext(subscriber);
      } else if (System.nanoTime() >= due.getOrDefault(subscriber, 0L)) {
        act(subscriber, written.apply(subscriber.spec().type()));
        scheduleNext(subscriber);
      }
    }
    Thread.sleep(TICK_MILLIS);
  }

  private void act(CheckSubscriber subscriber, CheckedVersion written) {
    StreamRecorder current = subscriber.current();
    if (current == null || hasEnded(subscriber)) {
      continueAfterEnd(subscriber);
    } else if (paused.remove(subscriber)) {
      current.resume();
    } else if (random.nextInt(3) == 0) {
      paused.add(subscriber);
      current.pause();
    } else {
      subscriber.switchStream(written);
    }
  }

  /**
   * Leaves a silent stream, as the contract requires, and returns whether it did. Without this, a
   * subscriber would stay at a gateway that neither responds nor ends the stream.
   */
  private boolean leaveIfSilent(CheckSubscriber subscriber) {
    StreamRecorder current = subscriber.current();
    if (current == null || !current.isSilentFor(SubscriptionSpec.SILENCE_NANOS)) {
      return false;
    }
    silentStreams++;
    continueAfterEnd(subscriber);
    return true;
  }

  /**
   * Returns whether the subscriber has ended. The contract forbids to repeat a request after STOP.
   */
  private boolean recordIfStopped(CheckSubscriber subscriber) {
    if (stoppedSubscribers.contains(subscriber)) {
      return true;
    }
    StreamRecorder current = subscriber.current();
    RecordedMessage.Ended end = current == null ? null : current.ended().orElse(null);
    if (current == null || end == null || !end.action().equals("STOP")) {
      return false;
    }
    stoppedSubscribers.add(subscriber, end.reason(), current.endText());
    return true;
  }

  /** Returns whether all subscribers have ended. */
  boolean isOver() {
    return stoppedSubscribers.count() == subscribers.size();
  }

  private static boolean hasEnded(CheckSubscriber subscriber) {
    StreamRecorder current = subscriber.current();
    return current != null && current.ended().isPresent();
  }

  private void continueAfterEnd(CheckSubscriber subscriber) {
    paused.remove(subscriber);
    StreamRecorder current = subscriber.current();
    Optional<RecordedMessage.Ended> end = current == null ? Optional.empty() : current.ended();
    subscriber.continueAfterEnd(end.map(RecordedMessage.Ended::action).orElse(""));
  }

  /**
   * Lets all subscribers read until they reach the last write. A subscriber without another gateway
   * stays on a silent stream: no more faults are injected, so the silence is an error of the
   * gateway.
   *
   * @return a paragraph for each subscriber that has not reached the last write in time
   */
  List<String> settle(Function<WatchedType, CheckedVersion> end, BooleanSupplier hasTime)
      throws InterruptedException {
    for (CheckSubscriber subscriber : subscribers) {
      paused.remove(subscriber);
      StreamRecorder current = subscriber.current();
      if (current != null) {
        current.resume();
      }
    }
    List<CheckSubscriber> behind = lagging(end);
    while (!behind.isEmpty() && hasTime.getAsBoolean()) {
      for (CheckSubscriber subscriber : behind) {
        if (recordIfStopped(subscriber)) {
          continue;
        }
        boolean left = subscriber.hasOtherGateway() && leaveIfSilent(subscriber);
        if (!left
            && hasEnded(subscriber)
            && System.nanoTime() >= due.getOrDefault(subscriber, 0L)) {
          continueAfterEnd(subscriber);
          due.put(subscriber, System.nanoTime() + MIN_DELAY_NANOS);
        }
      }
      Thread.sleep(TICK_MILLIS);
      behind = lagging(end);
    }
    return behind.stream().map(one -> describe(one, end)).toList();
  }

  private List<CheckSubscriber> lagging(Function<WatchedType, CheckedVersion> end) {
    return subscribers.stream()
        .filter(one -> !stoppedSubscribers.contains(one))
        .filter(
            one ->
                one.current() == null
                    || one.current().version().compareTo(end.apply(one.spec().type())) < 0)
        .toList();
  }

  private static String describe(CheckSubscriber one, Function<WatchedType, CheckedVersion> end) {
    StreamRecorder current = one.current();
    return "%s is at %s, the last write is %s%n  now: %s"
        .formatted(
            one.spec(),
            current == null ? "nothing" : current.version(),
            end.apply(one.spec().type()),
            one.describe());
  }

  /** Returns the number of streams that were left because of silence. */
  long silentStreams() {
    return silentStreams;
  }

  /** Returns the reasons for which subscribers were permanently refused, one line each. */
  List<String> refused() {
    return stoppedSubscribers.lines();
  }
}
