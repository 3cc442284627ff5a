package io.watchgate.cli;

import static java.util.Objects.requireNonNullElse;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.server.Warmup;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

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

  private static final String APPENDER = "stderr";

  /** Format of a line of the log. */
  enum Format {
    TEXT,
    JSON
  }

  /** Used by logback, which finds this class as a service. */
  public LogToStderr() {}

  @Override
  public ExecutionStatus configure(LoggerContext logging) {
    if (System.getProperty("logback.configurationFile") != null
        || LogToStderr.class.getResource("/logback-test.xml") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(level(namedLevel(), System.err));
    root.addAppender(appender(logging, Format.TEXT));
    logging.getLogger("io.grpc").setLevel(Level.WARN);
    logging.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * Changes the log of this process.
   *
   * @param level lowest level to be logged; null: it is not changed
   * @return false if a file configures logging: then the format is the file's
   */
  static boolean use(Format format, org.slf4j.event.@Nullable Level level) {
    LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
    if (level != null) {
      root.setLevel(Level.convertAnSLF4JLevel(level));
    }
    if (root.getAppender(APPENDER) == null) {
      return false;
    }
    if (format != Format.TEXT) {
      root.detachAppender(APPENDER);
      root.addAppender(appender(logging, format));
    }
    return true;
  }

  private static ConsoleAppender<ILoggingEvent> appender(LoggerContext logging, Format format) {
    ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
    stderr.setContext(logging);
    stderr.setName(APPENDER);
    stderr.setTarget(ConsoleTarget.SystemErr.getName());
    stderr.setEncoder(encoder(logging, format));
    stderr.addFilter(new WarmupLogFilter());
    stderr.addFilter(new NoLateConnection());
    stderr.start();
    return stderr;
  }

  static Encoder<ILoggingEvent> encoder(LoggerContext logging, Format format) {
    Encoder<ILoggingEvent> encoder =
        switch (format) {
          case TEXT -> {
            PatternLayoutEncoder text = new PatternLayoutEncoder();
            text.setPattern("%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\", UTC} %-5level %logger{0} %msg%n");
            yield text;
          }
          case JSON -> new JsonLogEncoder();
        };
    encoder.setContext(logging);
    encoder.start();
    return encoder;
  }

  /** Filter for messages of {@link Warmup}, which are not about the served cluster. */
  private static final class WarmupLogFilter extends Filter<ILoggingEvent> {
    @Override
    public FilterReply decide(ILoggingEvent event) {
      boolean duringWarmup = event.getThreadName().endsWith(Warmup.THREAD_NAME_END);
      return duringWarmup && !event.getLevel().isGreaterOrEqual(Level.WARN)
          ? FilterReply.DENY
          : FilterReply.NEUTRAL;
    }
  }

  /**
   * Filter for connections that are accepted while a server ends: gRPC has released what they need,
   * and Netty warns of it with a stack trace. They are closed, as all others.
   */
  static final class NoLateConnection extends Filter<ILoggingEvent> {
    @Override
    public FilterReply decide(ILoggingEvent event) {
      IThrowableProxy failure = event.getThrowableProxy();
      return failure != null
              && event.getLoggerName().endsWith(".netty.channel.ChannelInitializer")
              && failure.getClassName().endsWith(".IllegalReferenceCountException")
          ? FilterReply.DENY
          : FilterReply.NEUTRAL;
    }
  }

  private static String namedLevel() {
    return requireNonNullElse(
        System.getProperty(LEVEL), requireNonNullElse(System.getenv(LEVEL), ""));
  }

  /** Returns the level of this name, INFO if it is empty or, which is reported, no level. */
  static Level level(String name, PrintStream err) {
    for (org.slf4j.event.Level level : org.slf4j.event.Level.values()) {
      if (level.name().equalsIgnoreCase(name)) {
        return Level.convertAnSLF4JLevel(level);
      }
    }
    if (!name.isEmpty()) {
      err.println(
          "watchgate: "
              + LEVEL
              + " '"
              + TerminalEscaper.inLines(name)
              + "' is none of error, warn, info, debug, trace; info is used");
    }
    return Level.INFO;
  }
}
