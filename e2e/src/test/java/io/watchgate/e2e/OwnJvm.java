package io.watchgate.e2e;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JVM that runs the tests. */
public final class OwnJvm {
  private static final String COMPILERS = "-XX:TieredStopAtLevel";

  private OwnJvm() {}

  /**
   * The beginning of a command line for another one that compiles as this one does: {@code
   * watchgate.test.jvm} in the build says how.
   */
  public static List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith(COMPILERS))
        .forEach(command::add);
    return command;
  }
}
