package io.watchgate.e2e.promises;

import java.util.stream.Stream;

/** Fault that a {@link FaultInjector} inflicts. */
sealed interface Fault
    permits LinkFault, SubscriberFault, GatewayFault, ApiserverFault, AnswerFault, ReplicaFault {
  /** Returns the metric that the gateway must count for the fault; NONE: none. */
  FaultMetric sign();

  /** Returns the metric that the gateway must not count for the fault; NONE: none. */
  default FaultMetric forbidden() {
    return FaultMetric.NONE;
  }

  /** Returns whether another process of the gateway takes over. */
  default boolean replacesProcess() {
    return false;
  }

  /** Returns all faults of a single gateway. */
  static Stream<Fault> all() {
    return Stream.of(
            LinkFault.values(),
            SubscriberFault.values(),
            GatewayFault.values(),
            ApiserverFault.values(),
            AnswerFault.values())
        .flatMap(Stream::of);
  }
}
