package io.watchgate.e2e.promises;

import java.util.stream.Stream;

/** Fault that an {@link Adversary} inflicts. */
sealed interface Fault
    permits LinkFault, SubscriberFault, GatewayFault, ApiserverFault, AnswerFault, ReplicaFault {
  /** Returns the metric that the gateway must count for the fault; NONE: none. */
  Sign sign();

  /** Returns the metric that the gateway must not count for the fault; NONE: none. */
  default Sign forbidden() {
    return Sign.NONE;
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
