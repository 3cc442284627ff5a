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

  private final Scope scope;

  /** Bytes of the snapshots in progress; guarded by the admission. */
  long snapshotBytes;

  /** Kind of user. */
  enum Scope {
    ONE_USER,
    EVERYBODY
  }

  UserResources(Scope scope, OutboundBytes outbound, SnapshotAdmission admission) {
    this.scope = scope;
    this.outbound = outbound;
    this.admission = admission;
  }

  boolean isOfOneUser() {
    return scope == Scope.ONE_USER;
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
