package io.watchgate.e2e;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;

/**
 * Command line whose process can be ended by SIGINT. A shell that starts a background job ignores
 * the signal, and so does nohup in some uses. Child processes inherit this, and a JVM then keeps
 * ignoring the signal.
 */
public final class InterruptibleCommand {
  private static final List<List<String>> PREFIXES =
      List.of(
          List.of("env", "--default-signal=INT"),
          List.of("perl", "-e", "$SIG{INT} = 'DEFAULT'; exec @ARGV or exit 127", "--"));

  private InterruptibleCommand() {}

  /**
   * Returns the command behind a program that restores the default handler and then executes the
   * command.
   */
  public static List<String> of(List<String> command) throws IOException, InterruptedException {
    for (List<String> prefix : PREFIXES) {
      if (works(prefix)) {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(command);
        return line;
      }
    }
    assumeThat(PREFIXES).as("a program that restores the default of SIGINT").isEmpty();
    return command;
  }

  private static boolean works(List<String> prefix) throws InterruptedException {
    List<String> line = new ArrayList<>(prefix);
    line.add("true");
    try {
      return new ProcessBuilder(line)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false; // the program is not installed
    }
  }
}
