package io.watchgate.feed;

import io.watchgate.feed.Step.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The followers of one feed on one owner. The router raises its flag; the owner then gives those a
 * turn whose transports are ready. Who is not ready stands aside until the transport calls. All but
 * {@link #raise} runs on the owner.
 */
final class Group {
  private final Feed feed;
  private final Owner owner;
  private final Traffic traffic;
  private final AtomicBoolean queued = new AtomicBoolean();
  private volatile boolean dirty;
  private final List<Subscription> ready = new ArrayList<>();

  /** Whether {@link #ready} is by {@link Subscription#arrival}, as far as is known. */
  private boolean inOrder = true;

  /** Those whose transports take no more, who has been waiting longest first. */
  private final Set<Subscription> aside = new LinkedHashSet<>();

  private int members;

  /** Who is still to have a turn in this walk. */
  private final List<Subscription> walking = new ArrayList<>();

  private int walked;
  private int start;
  private @Nullable Joined joined;

  /** Some frames as one response. */
  record Joined(Frame first, Frame last, Slices response, int count, int limit) {}

  /**
   * @param traffic that the frames of the feed belong to
   */
  Group(Feed feed, Owner owner, Traffic traffic) {
    this.feed = feed;
    this.owner = owner;
    this.traffic = traffic;
  }

  Feed feed() {
    return feed;
  }

  /** There are new frames: raises the flag, and calls the owner if nobody has. From any thread. */
  void raise() {
    dirty = true;
    if (queued.compareAndSet(false, true)) {
      owner.walk(this);
    }
  }

  /** Nothing is left to do. Returns whether to queue it again nevertheless, for what came since. */
  boolean lower() {
    queued.set(false);
    return dirty && queued.compareAndSet(false, true);
  }

  void join() {
    members++;
  }

  /** Returns whether it was the last. */
  boolean leave(Subscription subscription) {
    withdraw(subscription);
    aside.remove(subscription);
    return --members == 0;
  }

  /** Wants a turn whenever there are new frames. */
  void standReady(Subscription subscription) {
    if (subscription.place < 0) {
      aside.remove(subscription);
      int size = ready.size();
      inOrder &= size == 0 || ready.get(size - 1).arrival() < subscription.arrival();
      subscription.place = size;
      ready.add(subscription);
    }
  }

  /** Is passed over until the transport calls. */
  void standAside(Subscription subscription) {
    withdraw(subscription);
    aside.add(subscription);
  }

  private void withdraw(Subscription subscription) {
    int place = subscription.place;
    if (place >= 0) {
      Subscription last = ready.removeLast();
      if (last != subscription) {
        ready.set(place, last);
        last.place = place;
        inOrder = false;
      }
      subscription.place = -1;
    }
  }

  /**
   * Streams that came one after the other lie next to each other in memory, the transport's part of
   * them above all: a walk in that order is a tenth cheaper than one in the order in which they
   * happened to catch up, here and for a client that opened them in turn. Not at every walk: where
   * streams block and go on all the time, sorting would cost more than it saves.
   */
  private void order() {
    if (!inOrder) {
      ready.sort(Comparator.comparingLong(Subscription::arrival));
      for (int i = 0; i < ready.size(); i++) {
        ready.get(i).place = i;
      }
      inOrder = true;
    }
  }

  /** Gives at most so many turns. Returns how many. */
  int walk(int turns) {
    if (walked == walking.size()) {
      dirty = false; // before looking, so that what comes meanwhile is seen by the next walk
      begin();
    }
    int from = walked;
    int until = Math.min(walking.size(), from + turns);
    while (walked < until) {
      walking.get(walked++).turn();
    }
    if (!isWalking()) {
      walking.clear();
      walked = 0;
      joined = null; // it keeps alive what all have sent
    }
    return until - from;
  }

  /** Whether turns are left for another task. */
  boolean isWalking() {
    return walked < walking.size();
  }

  /** Nobody is always first. */
  private void begin() {
    while (!aside.isEmpty() && aside.iterator().next().stepBackIfTrimmed()) {
      // Whoever steps back leaves. What history has let go of is kept for nobody unaccounted.
    }
    int size = ready.size();
    if (size > 0) {
      start = (start + 1) % size;
      walking.addAll(ready.subList(start, size));
      walking.addAll(ready.subList(0, start));
    }
  }

  /** A frame was sent. */
  void delivered(Frame frame) {
    traffic.delivered(frame.receivedNanos());
  }

  /**
   * A frame and those after it as one response, as many as fit. Those who are behind by the same
   * frames get the same.
   */
  Joined joined(Frame first, int limit) {
    Joined last = joined;
    if (last != null && last.first.equals(first) && last.limit == limit) {
      return last;
    }
    Joined made = join(first, limit);
    joined = made;
    return made;
  }

  private static Joined join(Frame first, int limit) {
    Frame last = first;
    int bytes = first.response().size();
    int count = first.count();
    Slices.Builder events = new Slices.Builder(64).add(first.events());
    while (last.after().step() instanceof Frame next
        && bytes + next.events().size() <= limit
        && next.whole() <= limit) {
      events.add(next.events());
      bytes += next.events().size();
      count += next.count();
      last = next;
    }
    return new Joined(first, last, events.add(last.end()).build(), count, limit);
  }

  /** Once a second. */
  void round() {
    joined = null;
    order();
  }
}
