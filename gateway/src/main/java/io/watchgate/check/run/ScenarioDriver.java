package io.watchgate.check.run;

import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;

/**
 * Driver of the subscribers. Each subscriber leaves and returns, stops and resumes reading, at
 * times of its own, and leaves a stream that is silent. Confined to the caller's thread.
 */
final class ScenarioDriver {
  private static final long TURN_MILLIS = 10;
  private static final long SHORTEST_NANOS = 100_000_000L;
  private static final long LONGEST_NANOS = 5_000_000_000L;

  private final List<CheckSubscriber> subscribers;
  private final Random random;
  private final Map<CheckSubscriber, Long> due = new HashMap<>();
  private final List<CheckSubscriber> pausing = new ArrayList<>();
  private final StoppedSubscribers refused = new StoppedSubscribers();
  private long silent;

  ScenarioDriver(List<CheckSubscriber> subscribers, Random random) {
    this.subscribers = List.copyOf(subscribers);
    this.random = random;
    subscribers.forEach(this::later);
  }

  private void later(CheckSubscriber subscriber) {
    // Many short waits, a few long ones.
    double share = random.nextDouble();
    due.put(
        subscriber,
        System.nanoTime()
            + SHORTEST_NANOS
            + (long) (share * share * (LONGEST_NANOS - SHORTEST_NANOS)));
  }

  /** Executes all actions that are due, and sleeps for 10 ms. */
  void turn(Function<WatchedType, CheckedVersion> written) throws InterruptedException {
    for (CheckSubscriber subscriber : subscribers) {
      subscriber.remember();
      if (endsForGood(subscriber)) {
        continue;
      }
      if (leavesSilence(subscriber)) {
        later(subscriber);
      } else if (System.nanoTime() >= due.getOrDefault(subscriber, 0L)) {
        act(subscriber, written.apply(subscriber.wish().type()));
        later(subscriber);
      }
    }
    Thread.sleep(TURN_MILLIS);
  }

  private void act(CheckSubscriber subscriber, CheckedVersion written) {
    StreamRecorder current = subscriber.current();
    if (current == null || hasEnded(subscriber)) {
      goOn(subscriber);
    } else if (pausing.remove(subscriber)) {
      current.read();
    } else if (random.nextInt(3) == 0) {
      pausing.add(subscriber);
      current.pause();
    } else {
      subscriber.moveOn(written);
    }
  }

  /**
   * Leaves a silent stream, as the contract requires, and returns whether it did. Without this, a
   * subscriber would stay at a gateway that neither responds nor ends the stream.
   */
  private boolean leavesSilence(CheckSubscriber subscriber) {
    StreamRecorder current = subscriber.current();
    if (current == null || !current.isSilentFor(SubscriptionSpec.SILENCE_NANOS)) {
      return false;
    }
    silent++;
    goOn(subscriber);
    return true;
  }

  /**
   * Returns whether the subscriber has ended. The contract forbids to repeat a request after STOP.
   */
  private boolean endsForGood(CheckSubscriber subscriber) {
    if (refused.contains(subscriber)) {
      return true;
    }
    StreamRecorder current = subscriber.current();
    RecordedMessage.Ended end = current == null ? null : current.ended().orElse(null);
    if (current == null || end == null || !end.action().equals("STOP")) {
      return false;
    }
    refused.add(subscriber, end.reason(), current.said());
    return true;
  }

  /** Returns whether all subscribers have ended. */
  boolean isOver() {
    return refused.count() == subscribers.size();
  }

  private static boolean hasEnded(CheckSubscriber subscriber) {
    StreamRecorder current = subscriber.current();
    return current != null && current.ended().isPresent();
  }

  private void goOn(CheckSubscriber subscriber) {
    pausing.remove(subscriber);
    StreamRecorder current = subscriber.current();
    Optional<RecordedMessage.Ended> end = current == null ? Optional.empty() : current.ended();
    subscriber.goOn(end.map(RecordedMessage.Ended::action).orElse(""));
  }

  /**
   * Lets all subscribers read until they reach the last write. A subscriber without another gateway
   * stays on a silent stream: no more faults are injected, so the silence is an error of the
   * gateway.
   *
   * @return a paragraph for each subscriber that has not reached the last write in time
   */
  List<String> settle(Function<WatchedType, CheckedVersion> end, long nanos)
      throws InterruptedException {
    for (CheckSubscriber subscriber : subscribers) {
      pausing.remove(subscriber);
      StreamRecorder current = subscriber.current();
      if (current != null) {
        current.read();
      }
    }
    long deadline = System.nanoTime() + nanos;
    List<CheckSubscriber> behind = behind(end);
    while (!behind.isEmpty() && System.nanoTime() < deadline) {
      for (CheckSubscriber subscriber : behind) {
        if (endsForGood(subscriber)) {
          continue;
        }
        boolean left = subscriber.hasElsewhere() && leavesSilence(subscriber);
        if (!left
            && hasEnded(subscriber)
            && System.nanoTime() >= due.getOrDefault(subscriber, 0L)) {
          goOn(subscriber);
          due.put(subscriber, System.nanoTime() + SHORTEST_NANOS);
        }
      }
      Thread.sleep(TURN_MILLIS);
      behind = behind(end);
    }
    return behind.stream().map(one -> describe(one, end)).toList();
  }

  private List<CheckSubscriber> behind(Function<WatchedType, CheckedVersion> end) {
    return subscribers.stream()
        .filter(one -> !refused.contains(one))
        .filter(
            one ->
                one.current() == null
                    || one.current().version().compareTo(end.apply(one.wish().type())) < 0)
        .toList();
  }

  private static String describe(CheckSubscriber one, Function<WatchedType, CheckedVersion> end) {
    StreamRecorder current = one.current();
    return "%s is at %s, the last write is %s%n  now: %s"
        .formatted(
            one.wish(),
            current == null ? "nothing" : current.version(),
            end.apply(one.wish().type()),
            one.story());
  }

  /** Returns the number of streams that were left because of silence. */
  long silent() {
    return silent;
  }

  /** Returns the reasons for which subscribers were permanently refused, one line each. */
  List<String> refused() {
    return refused.lines();
  }
}
