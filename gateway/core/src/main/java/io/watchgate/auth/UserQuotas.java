package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import io.watchgate.select.CompiledSelection;
import java.util.HashMap;
import java.util.Map;

/**
 * Quotas of each user ({@link AuthSettings.Quotas}): streams, calls per second, selections and
 * concurrent reviews. All addresses of a user count together. The limits are exact. Thread-safe.
 * The lock is held for two map accesses, and for one pass over all users when idle ones are removed
 * or metrics are read.
 */
final class UserQuotas {
  private final AuthSettings.Quotas quotas;
  private final TimeSource time;
  private final Map<String, User> users = new HashMap<>();

  UserQuotas(AuthSettings.Quotas quotas, TimeSource time) {
    this.quotas = quotas;
    this.time = time;
  }

  private static final class User {
    final TokenBucket callRate;
    final Map<SelectionKey, Integer> selections = new HashMap<>(2);
    int streams;
    int reviews;

    User(TokenBucket callRate) {
      this.callRate = callRate;
    }
  }

  private record SelectionKey(CompiledSelection selection, Object projection) {}

  /** Slot of a call that waits for the apiserver's answer. */
  final class ReviewSlot implements AutoCloseable {
    private final User user;

    private ReviewSlot(User user) {
      this.user = user;
    }

    @Override
    public void close() {
      synchronized (UserQuotas.this) {
        user.reviews--;
      }
    }
  }

  /** Slot of a stream. */
  final class StreamSlot implements AutoCloseable {
    private final User user;
    private final SelectionKey selectionKey;
    private boolean released;

    private StreamSlot(User user, SelectionKey selectionKey) {
      this.user = user;
      this.selectionKey = selectionKey;
    }

    /** Releases the slot; a second call does nothing. */
    @Override
    public void close() {
      synchronized (UserQuotas.this) {
        if (!released) {
          released = true;
          user.streams--;
          user.selections.computeIfPresent(
              selectionKey, (key, streams) -> streams == 1 ? null : streams - 1);
        }
      }
    }
  }

  /**
   * Counts a call of a user.
   *
   * @throws ApiException QUOTA
   */
  synchronized void countCall(String name) throws ApiException {
    if (!user(name).callRate.tryTake(time.nanoTime())) {
      throw new ApiException(LimitErrors.callsOfUser(name, quotas.callsPerSecond()));
    }
  }

  /**
   * Takes a slot for reviews about a user. The first two questions (list and watch) are free; every
   * further two count as one call.
   *
   * @throws ApiException QUOTA
   */
  synchronized ReviewSlot takeReviewSlot(String name, int questions) throws ApiException {
    User user = user(name);
    if (user.reviews >= AuthSettings.Quotas.MAX_REVIEWS) {
      throw new ApiException(
          LimitErrors.reviewsOfUser(name, AuthSettings.Quotas.MAX_REVIEWS, user.reviews));
    }
    if (questions > 2 && !user.callRate.tryTake(questions / 2 - 1, time.nanoTime())) {
      throw new ApiException(LimitErrors.callsOfUser(name, quotas.callsPerSecond()));
    }
    user.reviews++;
    return new ReviewSlot(user);
  }

  /**
   * Takes a slot for a stream of a user.
   *
   * @param projection only compared: a selection counts once for each of its projections
   * @throws ApiException QUOTA; then nothing was taken
   */
  synchronized StreamSlot takeStreamSlot(
      String name, CompiledSelection selection, Object projection) throws ApiException {
    User user = user(name);
    SelectionKey selectionKey = new SelectionKey(selection, projection);
    if (user.streams >= quotas.maxStreams()) {
      throw new ApiException(LimitErrors.streamsOfUser(name, quotas.maxStreams(), user.streams));
    }
    if (!user.selections.containsKey(selectionKey)
        && user.selections.size() >= quotas.maxSelections()) {
      throw new ApiException(
          LimitErrors.selectionsOfUser(name, quotas.maxSelections(), user.selections.size()));
    }
    user.streams++;
    user.selections.merge(selectionKey, 1, Integer::sum);
    return new StreamSlot(user, selectionKey);
  }

  private User user(String name) {
    User known = users.get(name);
    if (known == null) {
      long now = time.nanoTime();
      if (users.size() >= AuthSettings.Quotas.MAX_IDLE_USERS) {
        users
            .values()
            .removeIf(user -> user.streams == 0 && user.reviews == 0 && user.callRate.isFull(now));
      }
      double atOnce = (double) quotas.callsPerSecond() * AuthSettings.Quotas.BURST_SECONDS;
      known = new User(new TokenBucket(atOnce, quotas.callsPerSecond(), now));
      users.put(name, known);
    }
    return known;
  }

  /** Returns the number of streams of the user with the most streams. */
  synchronized int maxStreamsOfOneUser() {
    return users.values().stream().mapToInt(user -> user.streams).max().orElse(0);
  }

  /** Returns the number of selections of the user with the most selections. */
  synchronized int maxSelectionsOfOneUser() {
    return users.values().stream().mapToInt(user -> user.selections.size()).max().orElse(0);
  }

  /** Returns the number of users that called lately or have a stream. */
  synchronized int userCount() {
    return users.size();
  }
}
