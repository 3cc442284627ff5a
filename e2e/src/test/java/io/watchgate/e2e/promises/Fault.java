package io.watchgate.e2e.promises;

import java.time.Duration;
import java.util.stream.Stream;

/** What an {@link Adversary} does. */
sealed interface Fault permits LinkFault, SubscriberFault, GatewayFault, AnswerFault {
  /** What the gateway's metrics count because of it; NONE: nothing needs to be counted. */
  Sign sign();

  /**
   * How late a link makes what it carries: silence, and then what has waited, piece by piece. Tests
   * that take each other's processors delay, too.
   */
  Duration LATENESS = Duration.ofSeconds(15);

  /** All there are. */
  static Stream<Fault> all() {
    return Stream.of(
            LinkFault.values(),
            SubscriberFault.values(),
            GatewayFault.values(),
            AnswerFault.values())
        .flatMap(Stream::of);
  }
}
