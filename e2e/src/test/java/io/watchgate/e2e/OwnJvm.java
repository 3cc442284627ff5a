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
   * Returns the beginning of a command line for another JVM with the same JIT options: {@code
   * watchgate.test.jvm} of the build.
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
