package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Test of the decision about the lane when a gateway starts, and of its log. */
@Isolated // observes the log of the process
final class LaneAtStartTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(Gateway.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final AtomicInteger uses = new AtomicInteger();

  @BeforeEach
  void start() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
  }

  @Test
  void laneWorks_isUsedAndLogged() {
    Gateway.useLane(GatewaySettings.Lane.ON, true, uses::incrementAndGet);

    assertThat(uses).hasValue(1);
    assertLogged(Level.INFO, "the lane", "succeeded");
  }

  @Test
  void laneFails_warnsWithRemedy() {
    Gateway.useLane(GatewaySettings.Lane.ON, false, uses::incrementAndGet);

    assertThat(uses).hasValue(0);
    assertLogged(Level.WARN, "sent by gRPC", "restart", "--no-lane");
  }

  @Test
  void laneNotWanted_isNeitherUsedNorLogged() {
    Gateway.useLane(GatewaySettings.Lane.OFF, true, uses::incrementAndGet);
    Gateway.useLane(GatewaySettings.Lane.OFF, false, uses::incrementAndGet);

    assertThat(uses).hasValue(0);
    assertThat(log.list).isEmpty();
  }

  private void assertLogged(Level level, String... parts) {
    assertThat(log.list)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getLevel()).isEqualTo(level);
              assertThat(event.getFormattedMessage()).contains(parts);
            });
  }
}
