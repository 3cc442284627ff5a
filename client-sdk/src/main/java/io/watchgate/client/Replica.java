package io.watchgate.client;

import io.grpc.ManagedChannel;

/**
 * One of the gateway's processes as this client knows it: how to reach it, and until when another
 * one is preferred. Its standing is guarded by its {@link ReplicaSelector}.
 */
final class Replica {
  private final HostPort target;
  private final ManagedChannel channel;
  private final ReplicaChannel connection;
  private final Backoff backoff;

  /** Consecutive failures to reach it. */
  int failures;

  /** Grows with each choice: who has the lowest was tried longest ago. */
  long tried;

  /** By the client's timers: until then others come first. */
  long notBefore;

  /**
   * @param backoff how long others come first where it cannot be reached
   * @param now by the client's timers
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
