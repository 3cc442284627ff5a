package io.watchgate.client;

import io.grpc.ManagedChannel;

/**
 * One replica of the gateway as seen by this client: its channel, and the time until which other
 * replicas are preferred. The mutable fields are guarded by the {@link ReplicaSelector}.
 */
final class Replica {
  private final HostPort target;
  private final ManagedChannel channel;
  private final ReplicaChannel connection;
  private final Backoff backoff;

  /** Consecutive failures to connect to the replica. */
  int failures;

  /** Sequence number of the last choice; the lowest number was tried longest ago. */
  long lastChoice;

  /** Time of the client's scheduler until which other replicas are preferred. */
  long notBefore;

  /** True if they are preferred because the replica could not be reached, not because it asked. */
  boolean isUnreachable;

  /**
   * @param backoff time for which other replicas are preferred after a failed connection
   * @param now time of the client's scheduler
   */
  Replica(HostPort target, ManagedChannel channel, Backoff backoff, long now) {
    this.target = target;
    this.backoff = backoff;
    this.notBefore = now;
    this.channel = channel;
    this.connection = new ReplicaChannel(channel);
  }

  HostPort target() {
    return target;
  }

  ManagedChannel channel() {
    return channel;
  }

  Backoff backoff() {
    return backoff;
  }

  ReplicaChannel connection() {
    return connection;
  }
}
