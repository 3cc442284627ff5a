package io.watchgate.cli;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of the log of a command that serves. */
@OptionGroup("Log")
final class LogOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "text: time, level, class and message; json: an object a line with timestamp"
              + " (milliseconds since 1970), level, threadName, loggerName, formattedMessage and,"
              + " for an exception, throwable. Default: ${DEFAULT-VALUE}.")
  private LogToStderr.Format format = LogToStderr.Format.TEXT;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      description =
          "Lowest level to be logged: error, warn, info, debug or trace. Default:"
              + " WATCHGATE_LOG_LEVEL, else info.")
  private @Nullable Level level;

  /** Applies the options to the logging of this process. */
  void apply() {
    if (!LogToStderr.use(format, level) && format == LogToStderr.Format.JSON) {
      throw UsageError.of(
          command,
          "--log-format json has no effect: a file configures the log (logback.configurationFile);"
              + " leave out the option, or the file");
    }
  }
}
