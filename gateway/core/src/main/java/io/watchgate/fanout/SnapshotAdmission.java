package io.watchgate.fanout;

import io.watchgate.cache.FairQueue;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Admission of snapshots: limits the bytes of concurrent snapshots ({@link
 * FanoutSettings.Limits#snapshotBytes}) and their queue ({@link SnapshotSettings}). If a thousand
 * snapshots are sent at once, each is complete late. If a few are sent at a time, the first are
 * complete early, and the waiting ones get a newer state. Users are served round robin, so a user
 * with a thousand requests delays another user by one. Requests of a user are served in order. A
 * snapshot that its client does not read, or reads for longer than {@link
 * SnapshotSettings#ticketTime}, returns its ticket and continues without it. Thread-safe.
 */
final class SnapshotAdmission {
  private static final SnapshotSettings LIMITS = SnapshotSettings.DEFAULTS;

  private final long limit;

  private final FairQueue<UserResources, Ticket> waiting = new FairQueue<>();
  private final AtomicLong encoded = new AtomicLong();
  private long bytes;

  /**
   * @param limit maximum bytes; a larger snapshot runs alone
   */
  SnapshotAdmission(long limit) {
    this.limit = limit;
  }

  /**
   * Ticket of one snapshot; must be returned with {@link #close}, which may be called repeatedly.
   */
  final class Ticket {
    private final UserResources userResources;
    private final Runnable whenAdmitted;
    private volatile boolean admitted;
    private long charged;

    private Ticket(UserResources userResources, long charged, Runnable whenAdmitted) {
      this.userResources = userResources;
      this.charged = charged;
      this.whenAdmitted = whenAdmitted;
    }

    boolean isAdmitted() {
      return admitted;
    }

    /**
     * Replaces the estimate by the actual bytes. An admitted snapshot continues, however large it
     * is.
     */
    void setBytes(long known) {
      List<Ticket> next;
      synchronized (SnapshotAdmission.this) {
        if (!admitted || charged == 0) {
          return;
        }
        charge(userResources, known - charged);
        charged = known;
        next = admit();
      }
      next.forEach(ticket -> ticket.whenAdmitted.run());
    }

    void close() {
      List<Ticket> next;
      synchronized (SnapshotAdmission.this) {
        if (!waiting.remove(userResources, this)) {
          charge(userResources, -charged);
        }
        charged = 0;
        next = admit();
      }
      next.forEach(ticket -> ticket.whenAdmitted.run());
    }
  }

  /**
   * Requests a ticket.
   *
   * @param userResources resources of the user
   * @param estimate estimated bytes of the snapshot
   * @param whenAdmitted runs on any thread, if the ticket is not admitted at once
   * @throws ApiException QUOTA if too many snapshots wait
   */
  synchronized Ticket request(UserResources userResources, long estimate, Runnable whenAdmitted)
      throws ApiException {
    Ticket ticket = new Ticket(userResources, Math.max(1, estimate), whenAdmitted);
    int own = waiting.size(userResources);
    int count = waiting.size();
    int most = userResources.isOfOneUser() ? LIMITS.maxWaitingPerUser() : LIMITS.maxWaiting();
    if (count == 0 && fits(ticket)) {
      admitTicket(ticket);
    } else if (count < LIMITS.maxWaiting() && own < most) {
      waiting.add(userResources, ticket);
    } else {
      throw new ApiException(LimitErrors.waitingSnapshots(count, most, own));
    }
    return ticket;
  }

  private List<Ticket> admit() {
    List<Ticket> admitted = new ArrayList<>();
    for (Ticket ticket = next(); ticket != null && fits(ticket); ticket = next()) {
      admitTicket(waiting.poll(ticket.userResources));
      admitted.add(ticket);
    }
    return admitted;
  }

  /**
   * Returns the ticket that is next; if it does not fit, no other ticket overtakes it. A user with
   * more than half of the limit in progress is skipped while others wait.
   */
  private @Nullable Ticket next() {
    UserResources user = waiting.nextKey(one -> !one.hasSnapshotsOver(limit / 2));
    if (user == null) {
      user = waiting.nextKey(one -> true);
    }
    return user == null ? null : waiting.first(user);
  }

  private boolean fits(Ticket ticket) {
    return bytes == 0 || bytes + ticket.charged <= limit;
  }

  private void charge(UserResources userResources, long more) {
    bytes += more;
    userResources.snapshotBytes += more;
  }

  private void admitTicket(Ticket ticket) {
    charge(ticket.userResources, ticket.charged);
    ticket.admitted = true;
  }

  /** Returns the bytes of the snapshots in progress, as known when they were admitted or found. */
  synchronized long bytes() {
    return bytes;
  }

  /**
   * Returns the counter of the heap bytes of snapshots and net effects, including slowly read ones.
   */
  AtomicLong encoded() {
    return encoded;
  }

  /** Returns the number of waiting snapshots. */
  synchronized int waitingCount() {
    return waiting.size();
  }
}
