package io.watchgate.check.run;

import io.watchgate.check.Heard;
import io.watchgate.check.Version;
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
final class Conductor {
  private static final long TURN_MILLIS = 10;
  private static final long SHORTEST_NANOS = 100_000_000L;
  private static final long LONGEST_NANOS = 5_000_000_000L;

  private final List<Subscriber> subscribers;
  private final Random random;
  private final Map<Subscriber, Long> due = new HashMap<>();
  private final List<Subscriber> pausing = new ArrayList<>();
  private final Refused refused = new Refused();
  private long silent;

  Conductor(List<Subscriber> subscribers, Random random) {
    this.subscribers = List.copyOf(subscribers);
    this.random = random;
    subscribers.forEach(this::later);
  }

  private void later(Subscriber subscriber) {
    // Many short waits, a few long ones.
    double share = random.nextDouble();
    due.put(
        subscriber,
        System.nanoTime()
            + SHORTEST_NANOS
            + (long) (share * share * (LONGEST_NANOS - SHORTEST_NANOS)));
  }

  /** Does what is due, and rests for a moment. */
  void turn(Function<WatchedType, Version> written) throws InterruptedException {
    for (Subscriber subscriber : subscribers) {
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

  private void act(Subscriber subscriber, Version written) {
    Hearing current = subscriber.current();
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
  private boolean leavesSilence(Subscriber subscriber) {
    Hearing current = subscriber.current();
    if (current == null || !current.isSilentFor(Wish.SILENCE_NANOS)) {
      return false;
    }
    silent++;
    goOn(subscriber);
    return true;
  }

  /** As the contract has it: after STOP the same request is not made again. */
  private boolean endsForGood(Subscriber subscriber) {
    if (refused.contains(subscriber)) {
      return true;
    }
    Hearing current = subscriber.current();
    Heard.Ended end = current == null ? null : current.ended().orElse(null);
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

  private static boolean hasEnded(Subscriber subscriber) {
    Hearing current = subscriber.current();
    return current != null && current.ended().isPresent();
  }

  private void goOn(Subscriber subscriber) {
    pausing.remove(subscriber);
    Hearing current = subscriber.current();
    Optional<Heard.Ended> end = current == null ? Optional.empty() : current.ended();
    subscriber.goOn(end.map(Heard.Ended::action).orElse(""));
  }

  /**
   * Lets everybody read until all have come to the end. Who has nowhere else to go stays even where
   * nothing is said: nobody breaks anything any more, so that is the gateway's own fault.
   *
   * @return who has not within that time, in a paragraph each
   */
  List<String> settle(Function<WatchedType, Version> end, long nanos) throws InterruptedException {
    for (Subscriber subscriber : subscribers) {
      pausing.remove(subscriber);
      Hearing current = subscriber.current();
      if (current != null) {
        current.read();
      }
    }
    long deadline = System.nanoTime() + nanos;
    List<Subscriber> behind = behind(end);
    while (!behind.isEmpty() && System.nanoTime() < deadline) {
      for (Subscriber subscriber : behind) {
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

  private List<Subscriber> behind(Function<WatchedType, Version> end) {
    return subscribers.stream()
        .filter(one -> !refused.contains(one))
        .filter(
            one ->
                one.current() == null
                    || one.current().version().compareTo(end.apply(one.wish().type())) < 0)
        .toList();
  }

  private static String describe(Subscriber one, Function<WatchedType, Version> end) {
    Hearing current = one.current();
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
