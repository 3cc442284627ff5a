package io.watchgate.e2e.promises;

import java.util.stream.Stream;

/** What an {@link Adversary} does. */
sealed interface Fault
    permits LinkFault, SubscriberFault, GatewayFault, ApiserverFault, AnswerFault, ReplicaFault {
  /** What the gateway's metrics count because of it; NONE: nothing needs to be counted. */
  Sign sign();

  /** What they must not count because of it; NONE: anything may be. */
  default Sign forbidden() {
    return Sign.NONE;
  }

  /** All that a single gateway goes through. */
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
