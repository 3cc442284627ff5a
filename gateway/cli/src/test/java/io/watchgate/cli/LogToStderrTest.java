package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.FilterReply;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.netty.shaded.io.netty.util.IllegalReferenceCountException;
import io.watchgate.cli.LogToStderr.Format;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of the log in each format. */
class LogToStderrTest {
  private final LoggerContext logging = new LoggerContext();

  private String line(
      Format format, String message, @Nullable Exception cause, Object... arguments) {
    LoggingEvent event =
        new LoggingEvent(
            "caller",
            logging.getLogger("io.watchgate.cache.Reflector"),
            Level.WARN,
            message,
            cause,
            arguments);
    event.setTimeStamp(1_700_000_000_123L);
    return new String(LogToStderr.encoder(logging, format).encode(event), StandardCharsets.UTF_8);
  }

  @Test
  void text_isTimeLevelClassMessage() {
    assertThat(line(Format.TEXT, "{}: a {}", null, "pods", "list"))
        .isEqualTo("2023-11-14T22:13:20.123Z WARN  Reflector pods: a list\n");
  }

  @Test
  void json_isOneObjectALine() {
    String line = line(Format.JSON, "{}: \"a\nb\"", new IOException("gone"), "pods");

    assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
    JsonObject object = JsonParser.parseString(line).getAsJsonObject();
    assertThat(object.keySet())
        .containsExactly(
            "timestamp", "level", "threadName", "loggerName", "formattedMessage", "throwable");
    assertThat(object.get("timestamp").getAsLong()).isEqualTo(1_700_000_000_123L);
    assertThat(object.get("level").getAsString()).isEqualTo("WARN");
    assertThat(object.get("loggerName").getAsString()).isEqualTo("io.watchgate.cache.Reflector");
    assertThat(object.get("formattedMessage").getAsString()).isEqualTo("pods: \"a\nb\"");
    assertThat(object.getAsJsonObject("throwable").get("message").getAsString()).isEqualTo("gone");
  }

  @Test
  void json_withoutException_hasNoThrowable() {
    JsonObject object =
        JsonParser.parseString(line(Format.JSON, "{}: a {}", null, "pods", "list"))
            .getAsJsonObject();

    assertThat(object.keySet())
        .containsExactly("timestamp", "level", "threadName", "loggerName", "formattedMessage");
  }

  @ParameterizedTest
  @CsvSource({"debug, DEBUG", "WARN, WARN", "'', INFO"})
  void levelOfVariable_isAnyOfTheNames(String name, String level) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();

    assertThat(LogToStderr.level(name, print(err))).hasToString(level);
    assertThat(err.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"verbose", "off", "10"})
  void levelOfVariable_unknown_isReportedAndInfoIsUsed(String name) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();

    assertThat(LogToStderr.level(name, print(err))).isEqualTo(Level.INFO);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("WATCHGATE_LOG_LEVEL '" + name + "'", "debug", "info is used");
  }

  private static PrintStream print(ByteArrayOutputStream to) {
    return new PrintStream(to, true, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "io.grpc.netty.shaded.io.netty.channel.ChannelInitializer, true, DENY",
    "io.grpc.netty.shaded.io.netty.channel.ChannelInitializer, false, NEUTRAL",
    "io.watchgate.cache.Reflector, true, NEUTRAL"
  })
  void lateConnection_isLeftOut(String logger, boolean isReleased, FilterReply reply) {
    Exception cause =
        isReleased ? new IllegalReferenceCountException() : new IllegalStateException();
    LoggingEvent event =
        new LoggingEvent(
            "caller", logging.getLogger(logger), Level.WARN, "failed", cause, new Object[0]);

    assertThat(new LogToStderr.NoLateConnection().decide(event)).isEqualTo(reply);
  }
}
