package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated // observes the log and the uncaught exceptions of the process
final class WarmupTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Test
  @Timeout(300)
  void run_changeTakesLane() throws Exception {
    assertThat(Warmup.run(LIMIT)).as("change was sent by the lane").isTrue();
  }

  /** A warm-up that a busy machine has slowed down ends at its own limit, without the lane. */
  @Test
  void start_second_isTheFirst() {
    CompletableFuture<Boolean> first = Warmup.start();
    assertThat(first).succeedsWithin(LIMIT);
    assertThat(Warmup.start()).isSameAs(first);
  }

  /**
   * The limits end the warm-up in different phases: connecting, opening a stream, receiving a
   * change.
   */
  @Tag("slow")
  @Test
  @Timeout(300)
  void run_limitReached_endsWithoutErrors() throws Exception {
    Queue<String> errors = new ConcurrentLinkedQueue<>();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN) && !isLateConnection(event)) {
              errors.add(
                  event.getLoggerName()
                      + ": "
                      + event.getFormattedMessage()
                      + ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
          }
        };
    appender.setContext(root.getLoggerContext());
    appender.start();
    root.addAppender(appender);
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> errors.add(thread.getName() + ": " + e));
    int reached = 0;
    try {
      for (int micros = 0; micros < 40_000; micros += 500) {
        try {
          Warmup.run(Duration.ofNanos(micros * 1_000L));
        } catch (TimeoutException _) {
          reached++;
        }
      }
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
      root.detachAppender(appender);
    }
    assertThat(reached).as("rehearsals that reached their limit").isPositive();
    assertThat(errors).isEmpty();
  }

  /**
   * Returns whether Netty warns of a connection that was accepted while the server ended. The log
   * of the command leaves it out.
   */
  private static boolean isLateConnection(ILoggingEvent event) {
    return event.getThrowableProxy() != null
        && event.getThrowableProxy().getClassName().endsWith(".IllegalReferenceCountException");
  }
}
