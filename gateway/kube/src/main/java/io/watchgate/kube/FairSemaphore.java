package io.watchgate.kube;

import io.watchgate.cache.FairQueue;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Semaphore that is fair between users. Waiting requests are served round robin by user, in arrival
 * order within a user. One user has at most three quarters of the permits, so that slow answers
 * about one user leave permits to other users. If the queue is full, the user with the most waiting
 * requests loses the newest one. The numbers are in {@link KubeSettings.Reviews}. Thread-safe; the
 * lock is held for a map access.
 */
final class FairSemaphore {
  private final int permits;
  private final int maxPerUser;
  private final int maxWaiting;

  /** Waiting requests by user. Outcome true: the request has a permit; false: it is rejected. */
  private final FairQueue<String, CompletableFuture<Boolean>> waiting = new FairQueue<>();

  private final Map<String, Integer> takenBy = new HashMap<>();
  private int taken;

  FairSemaphore(int permits, int maxWaiting) {
    this.permits = permits;
    this.maxPerUser = permits - permits / 4;
    this.maxWaiting = maxWaiting;
  }

  /**
   * Waits for a permit.
   *
   * @param user user of the request
   * @return whether the request has a permit, which it must release; false: too many requests wait,
   *     or the time is over
   */
  boolean tryAcquire(String user, Duration atMost) throws InterruptedException {
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    synchronized (this) {
      if (canTake(user)) {
        take(user);
        return true;
      }
      if (waiting.size() >= maxWaiting && !evictNewest(user)) {
        return false;
      }
      waiting.add(user, outcome);
    }
    try {
      return outcome.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return !removeWaiting(user, outcome) && outcome.getNow(false);
    } catch (InterruptedException e) {
      if (!removeWaiting(user, outcome) && outcome.getNow(false)) {
        release(user);
      }
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean canTake(String user) {
    return taken < permits && takenBy.getOrDefault(user, 0) < maxPerUser;
  }

  private void take(String user) {
    taken++;
    takenBy.merge(user, 1, Integer::sum);
  }

  /**
   * Releases a permit, which is passed to the next waiting request.
   *
   * @param user user of the request
   */
  synchronized void release(String user) {
    taken--;
    takenBy.computeIfPresent(user, (key, count) -> count == 1 ? null : count - 1);
    String next = waiting.nextKey(this::canTake);
    if (next != null) {
      take(next);
      waiting.poll(next).complete(true);
    }
  }

  /** Removes a request and returns whether it was still waiting. */
  private synchronized boolean removeWaiting(String user, CompletableFuture<Boolean> outcome) {
    return waiting.remove(user, outcome);
  }

  /**
   * Rejects the newest request of the user with the most waiting requests, if that user has at
   * least two more than this one.
   */
  private boolean evictNewest(String user) {
    String largest = waiting.largestKey();
    return largest != null
        && waiting.size(largest) > waiting.size(user) + 1
        && waiting.pollLast(largest).complete(false);
  }

  /** Returns the number of waiting requests. */
  synchronized int waitingCount() {
    return waiting.size();
  }
}
