package io.watchgate.feed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Which snapshots may be under way: so many bytes of them at a time, in the order in which they
 * were asked for. A thousand that are sent at once all end late; some at a time end early, one
 * after the other, and those who wait take a newer state. One that nobody reads gives its place
 * back. Thread-safe.
 */
final class SnapshotAdmission {
  /** Beyond so many who wait, a client is better off elsewhere (design, section 3). */
  static final int MOST_WAITING = 10_000;

  private final long limit;
  private final LinkedHashSet<Ticket> waiting = new LinkedHashSet<>();
  private long bytes;

  /**
   * @param limit in bytes; a snapshot of more is alone
   */
  SnapshotAdmission(long limit) {
    this.limit = limit;
  }

  /** For one snapshot; to be given back with {@link #close}, once or more. */
  final class Ticket {
    private final Runnable whenAdmitted;
    private volatile boolean admitted;
    private long charged;

    private Ticket(long charged, Runnable whenAdmitted) {
      this.charged = charged;
      this.whenAdmitted = whenAdmitted;
    }

    boolean isAdmitted() {
      return admitted;
    }

    /** How many bytes it really is. It goes on, however many these are. */
    void amountsTo(long known) {
      synchronized (SnapshotAdmission.this) {
        if (admitted && charged > 0) {
          bytes += known - charged;
          charged = known;
        }
      }
    }

    void close() {
      List<Ticket> next;
      synchronized (SnapshotAdmission.this) {
        if (!waiting.remove(this)) {
          bytes -= charged;
        }
        charged = 0;
        next = admit();
      }
      next.forEach(ticket -> ticket.whenAdmitted.run());
    }
  }

  /**
   * Asks for a place.
   *
   * @param estimate of the snapshot, in bytes
   * @param whenAdmitted is run, on any thread, if the ticket is not admitted at once
   * @throws RefusedException QUOTA where too many wait
   */
  synchronized Ticket ask(long estimate, Runnable whenAdmitted) throws RefusedException {
    Ticket ticket = new Ticket(Math.max(1, estimate), whenAdmitted);
    if (waiting.isEmpty() && fits(ticket)) {
      take(ticket);
    } else if (waiting.size() < MOST_WAITING) {
      waiting.add(ticket);
    } else {
      throw new RefusedException(
          Refusal.quota(
              new Quota("snapshots:waiting", "waiting snapshots", MOST_WAITING, waiting.size()),
              Duration.ofSeconds(10),
              MOST_WAITING
                  + " streams wait for their snapshots already. Try another replica, or have its"
                  + " operator raise --snapshot-mib."));
    }
    return ticket;
  }

  private List<Ticket> admit() {
    List<Ticket> admitted = new ArrayList<>();
    Iterator<Ticket> first = waiting.iterator();
    while (first.hasNext()) {
      Ticket ticket = first.next();
      if (!fits(ticket)) {
        break; // those behind it do not overtake it
      }
      first.remove();
      take(ticket);
      admitted.add(ticket);
    }
    return admitted;
  }

  private boolean fits(Ticket ticket) {
    return bytes == 0 || bytes + ticket.charged <= limit;
  }

  private void take(Ticket ticket) {
    bytes += ticket.charged;
    ticket.admitted = true;
  }

  /** Of the snapshots under way, as far as it was known when they began. */
  synchronized long bytes() {
    return bytes;
  }

  /** How many have yet to begin. */
  synchronized int waiting() {
    return waiting.size();
  }
}
