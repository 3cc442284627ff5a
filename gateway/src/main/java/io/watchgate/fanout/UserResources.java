package io.watchgate.fanout;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the streams of one user hold together of what all share: bytes in the transport, and turns
 * for snapshots. Thread-safe. Made by {@link RouterRegistry#account}.
 */
public final class UserResources {
  private final OutboundBytes outbound;
  private final SnapshotAdmission admission;

  private final Of of;

  /** Of those under way; guarded by the admission. */
  long snapshotBytes;

  /** Whose it is. */
  enum Of {
    ONE_USER,
    EVERYBODY
  }

  UserResources(Of of, OutboundBytes outbound, SnapshotAdmission admission) {
    this.of = of;
    this.outbound = outbound;
    this.admission = admission;
  }

  boolean isOfOneUser() {
    return of == Of.ONE_USER;
  }

  boolean hasSnapshotsOver(long share) {
    return isOfOneUser() && snapshotBytes > share;
  }

  /** Counts the heap of all snapshots and net effects under way. */
  AtomicLong encoded() {
    return admission.encoded();
  }

  OutboundBytes outbound() {
    return outbound;
  }

  /** A place for a snapshot; see {@link SnapshotAdmission#ask}. */
  SnapshotAdmission.Ticket snapshot(long estimate, Runnable whenAdmitted) throws ApiException {
    return admission.ask(this, estimate, whenAdmitted);
  }

  /** What waits in the transport for those of them who do not read, about. */
  public long unreadBytes() {
    return outbound.bytes();
  }
}
