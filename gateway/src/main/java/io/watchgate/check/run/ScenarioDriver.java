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
 * Has subscribers leave and come back, stop reading and go on, each at moments of its own, and
 * leave whoever says nothing. All on the caller's thread.
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

  /** Does what is due, and rests for a moment. */
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

  /** As the contract has it: only so is a gateway left that neither answers nor ends. */
  private boolean leavesSilence(CheckSubscriber subscriber) {
    StreamRecorder current = subscriber.current();
    if (current == null || !current.isSilentFor(SubscriptionSpec.SILENCE_NANOS)) {
      return false;
    }
    silent++;
    goOn(subscriber);
    return true;
  }

  /** As the contract has it: after STOP the same request is not made again. */
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

  /** Whether no subscriber has anything to ask for any more. */
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
   * Lets everybody read until all have come to the end. Who has nowhere else to go stays even where
   * nothing is said: nobody breaks anything any more, so that is the gateway's own fault.
   *
   * @return who has not within that time, in a paragraph each
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

  /** How many streams were left since they said nothing. */
  long silent() {
    return silent;
  }

  /** Why subscribers were refused for good, a line for each reason. */
  List<String> refused() {
    return refused.lines();
  }
}
