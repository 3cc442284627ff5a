package io.watchgate.fanout;

import io.watchgate.error.ApiException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Use of shared resources by the streams of one user: bytes in the transport, and snapshots.
 * Thread-safe. Created by {@link RouterRegistry#userResources}.
 */
public final class UserResources {
  private final OutboundBytes outbound;
  private final SnapshotAdmission admission;

  private final Of of;

  /** Bytes of the snapshots in progress; guarded by the admission. */
  long snapshotBytes;

  /** Kind of user. */
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

  /** Returns the counter of the heap bytes of all snapshots and net effects in progress. */
  AtomicLong encoded() {
    return admission.encoded();
  }

  OutboundBytes outbound() {
    return outbound;
  }

  /** Requests a ticket for a snapshot: {@link SnapshotAdmission#request}. */
  SnapshotAdmission.Ticket snapshot(long estimate, Runnable whenAdmitted) throws ApiException {
    return admission.request(this, estimate, whenAdmitted);
  }
}
