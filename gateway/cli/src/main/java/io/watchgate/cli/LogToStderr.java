package io.watchgate.cli;

import static java.util.Objects.requireNonNullElse;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import io.watchgate.server.Warmup;

/**
 * Logging configuration of the command: to stderr, because stdout is for data. It is code instead
 * of a logback.xml, whose parser takes longer than the rest of a start until the first call. {@code
 * WATCHGATE_LOG_LEVEL}, as a property or environment variable, sets the level; default INFO.
 *
 * <p>It does nothing if a file configures logging: {@code -Dlogback.configurationFile}, or the
 * logback-test.xml of the tests.
 */
public final class LogToStderr extends ContextAwareBase implements Configurator {
  static final String LEVEL = "WATCHGATE_LOG_LEVEL";

  /** Used by logback, which finds this class as a service. */
  public LogToStderr() {}

  @Override
  public ExecutionStatus configure(LoggerContext logging) {
    if (System.getProperty("logback.configurationFile") != null
        || LogToStderr.class.getResource("/logback-test.xml") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(logging);
    encoder.setPattern("%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\", UTC} %-5level %logger{0} %msg%n");
    encoder.start();

    ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
    stderr.setContext(logging);
    stderr.setName("stderr");
    stderr.setTarget(ConsoleTarget.SystemErr.getName());
    stderr.setEncoder(encoder);
    stderr.addFilter(new NoRehearsal());
    stderr.start();

    Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(level());
    root.addAppender(stderr);
    logging.getLogger("io.grpc").setLevel(Level.WARN);
    logging.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Filter for messages of {@link Warmup}, which are not about the served cluster. */
  private static final class NoRehearsal extends Filter<ILoggingEvent> {
    @Override
    public FilterReply decide(ILoggingEvent event) {
      boolean rehearsed = event.getThreadName().endsWith(Warmup.THREAD_NAME_END);
      return rehearsed && !event.getLevel().isGreaterOrEqual(Level.WARN)
          ? FilterReply.DENY
          : FilterReply.NEUTRAL;
    }
  }

  private static Level level() {
    String inEnvironment = requireNonNullElse(System.getenv(LEVEL), "");
    return Level.toLevel(System.getProperty(LEVEL, inEnvironment), Level.INFO);
  }
}
