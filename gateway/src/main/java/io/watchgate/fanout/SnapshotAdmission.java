package io.watchgate.fanout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Which snapshots may be under way: so many bytes of them at a time. A thousand that are sent at
 * once all end late; some at a time end early, one after the other, and those who wait take a newer
 * state. Users take turns, so that one who asks for a thousand holds up another by one; those of a
 * user come in the order in which they were asked for. One that nobody reads gives its place back.
 * Thread-safe.
 */
final class SnapshotAdmission {
  /** Beyond so many who wait, a client is better off elsewhere (design, section 3). */
  static final int MOST_WAITING = 10_000;

  /** Of these, so many of one user, where users are told apart. */
  static final int MOST_OF_ONE = MOST_WAITING / 2;

  private final long limit;

  /** By whom; the first has the next turn. Nobody is there without a ticket. */
  private final LinkedHashMap<UserResources, LinkedHashSet<Ticket>> waiting = new LinkedHashMap<>();

  private final AtomicLong encoded = new AtomicLong();
  private int count;
  private long bytes;

  /**
   * @param limit in bytes; a snapshot of more is alone
   */
  SnapshotAdmission(long limit) {
    this.limit = limit;
  }

  /** For one snapshot; to be given back with {@link #close}, once or more. */
  final class Ticket {
    private final UserResources account;
    private final Runnable whenAdmitted;
    private volatile boolean admitted;
    private long charged;

    private Ticket(UserResources account, long charged, Runnable whenAdmitted) {
      this.account = account;
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
          charge(account, known - charged);
          charged = known;
        }
      }
    }

    void close() {
      List<Ticket> next;
      synchronized (SnapshotAdmission.this) {
        if (!leave(this)) {
          charge(account, -charged);
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
   * @param account of whose it is
   * @param estimate of the snapshot, in bytes
   * @param whenAdmitted is run, on any thread, if the ticket is not admitted at once
   * @throws ApiException QUOTA where too many wait
   */
  synchronized Ticket ask(UserResources account, long estimate, Runnable whenAdmitted)
      throws ApiException {
    Ticket ticket = new Ticket(account, Math.max(1, estimate), whenAdmitted);
    LinkedHashSet<Ticket> others = waiting.get(account);
    int own = others == null ? 0 : others.size();
    int most = account.isOfOneUser() ? MOST_OF_ONE : MOST_WAITING;
    if (count == 0 && fits(ticket)) {
      take(ticket);
    } else if (count < MOST_WAITING && own < most) {
      waiting.computeIfAbsent(account, key -> new LinkedHashSet<>()).add(ticket);
      count++;
    } else {
      throw new ApiException(
          ApiError.quota(
              new QuotaViolation("snapshots:waiting", "waiting snapshots", most, own),
              Duration.ofSeconds(10),
              count
                  + " streams wait for their snapshots already. Try another replica, or have its"
                  + " operator raise --snapshot-mib."));
    }
    return ticket;
  }

  private List<Ticket> admit() {
    List<Ticket> admitted = new ArrayList<>();
    for (Ticket ticket = next(); ticket != null && fits(ticket); ticket = next()) {
      LinkedHashSet<Ticket> others = waiting.get(ticket.account);
      leave(ticket);
      if (waiting.containsKey(ticket.account)) {
        waiting.putLast(ticket.account, others);
      }
      take(ticket);
      admitted.add(ticket);
    }
    return admitted;
  }

  /**
   * Whose turn it is: if it does not fit, nobody overtakes it. A user who has half of what may be
   * under way lets others go first.
   */
  private @Nullable Ticket next() {
    for (Map.Entry<UserResources, LinkedHashSet<Ticket>> turn : waiting.entrySet()) {
      if (waiting.size() == 1 || !turn.getKey().hasSnapshotsOver(limit / 2)) {
        return turn.getValue().getFirst();
      }
    }
    return waiting.isEmpty() ? null : waiting.firstEntry().getValue().getFirst();
  }

  private boolean leave(Ticket ticket) {
    LinkedHashSet<Ticket> own = waiting.get(ticket.account);
    if (own == null || !own.remove(ticket)) {
      return false;
    }
    count--;
    if (own.isEmpty()) {
      waiting.remove(ticket.account);
    }
    return true;
  }

  private boolean fits(Ticket ticket) {
    return bytes == 0 || bytes + ticket.charged <= limit;
  }

  private void charge(UserResources account, long more) {
    bytes += more;
    account.snapshotBytes += more;
  }

  private void take(Ticket ticket) {
    charge(ticket.account, ticket.charged);
    ticket.admitted = true;
  }

  /** Of the snapshots under way, as far as it was known when they began. */
  synchronized long bytes() {
    return bytes;
  }

  /** Bytes of the heap that snapshots and net effects occupy, those that are read slowly too. */
  AtomicLong encoded() {
    return encoded;
  }

  /** How many have yet to begin. */
  synchronized int waiting() {
    return count;
  }
}
