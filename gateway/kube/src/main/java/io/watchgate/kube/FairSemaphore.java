package io.watchgate.kube;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Semaphore that is fair between users. Waiting requests are served round robin by user, in arrival
 * order within a user. One user has at most three quarters of the permits, so that slow answers
 * about one user leave permits to other users. If the queue is full, the user with the most waiting
 * requests loses the newest one. Thread-safe; the lock is held for a map access.
 */
final class FairSemaphore {
  private final int permits;
  private final int maxPerUser;
  private final int maxWaiting;

  /** Queues of waiting requests by user, in the order of service; none is empty. */
  private final Map<String, ArrayDeque<Turn>> queues = new LinkedHashMap<>();

  private final Map<String, Integer> takenBy = new HashMap<>();
  private int taken;
  private int waiting;

  /** Waiting request. */
  private static final class Turn {
    /** True: it has a permit; false: it is rejected. */
    final CompletableFuture<Boolean> outcome = new CompletableFuture<>();
  }

  FairSemaphore(int places, int mostWaiting) {
    this.permits = places;
    this.maxPerUser = places - places / 4;
    this.maxWaiting = mostWaiting;
  }

  /**
   * Waits for a permit.
   *
   * @param who user of the request
   * @return whether the request has a permit, which it must release; false: too many requests wait,
   *     or the time is over
   */
  boolean tryAcquire(String who, Duration atMost) throws InterruptedException {
    Turn turn = new Turn();
    synchronized (this) {
      if (canTake(who)) {
        take(who);
        return true;
      }
      if (waiting >= maxWaiting && !evictNewest(who)) {
        return false;
      }
      queues.computeIfAbsent(who, name -> new ArrayDeque<>()).add(turn);
      waiting++;
    }
    try {
      return turn.outcome.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return !removeWaiting(who, turn) && turn.outcome.getNow(false);
    } catch (InterruptedException e) {
      if (!removeWaiting(who, turn) && turn.outcome.getNow(false)) {
        release(who);
      }
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean canTake(String who) {
    return taken < permits && takenBy.getOrDefault(who, 0) < maxPerUser;
  }

  private void take(String who) {
    taken++;
    takenBy.merge(who, 1, Integer::sum);
  }

  /**
   * Releases a permit, which is passed to the next waiting request.
   *
   * @param who user of the request
   */
  synchronized void release(String who) {
    taken--;
    takenBy.computeIfPresent(who, (user, count) -> count == 1 ? null : count - 1);
    Map.Entry<String, ArrayDeque<Turn>> next =
        queues.entrySet().stream().filter(one -> canTake(one.getKey())).findFirst().orElse(null);
    if (next == null) {
      return;
    }
    take(next.getKey());
    queues.remove(next.getKey());
    Turn turn = next.getValue().removeFirst();
    waiting--;
    if (!next.getValue().isEmpty()) {
      queues.put(next.getKey(), next.getValue());
    }
    turn.outcome.complete(true);
  }

  /** Removes a request and returns whether it was still waiting. */
  private synchronized boolean removeWaiting(String who, Turn turn) {
    ArrayDeque<Turn> queue = queues.get(who);
    if (queue == null || !queue.remove(turn)) {
      return false;
    }
    gone(who, queue);
    return true;
  }

  /**
   * Rejects the newest request of the user with the most waiting requests, if that user has at
   * least two more than this one.
   */
  private boolean evictNewest(String who) {
    int own = queues.containsKey(who) ? queues.get(who).size() : 0;
    return queues.entrySet().stream()
        .max(Comparator.comparingInt(entry -> entry.getValue().size()))
        .filter(most -> most.getValue().size() > own + 1)
        .map(
            most -> {
              Turn last = most.getValue().removeLast();
              gone(most.getKey(), most.getValue());
              return last.outcome.complete(false);
            })
        .orElse(false);
  }

  private void gone(String who, ArrayDeque<Turn> queue) {
    waiting--;
    if (queue.isEmpty()) {
      queues.remove(who);
    }
  }

  /** Returns the number of waiting requests. */
  synchronized int waitingCount() {
    return waiting;
  }
}
