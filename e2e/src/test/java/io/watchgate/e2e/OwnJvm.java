package io.watchgate.e2e;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JVM that runs the tests, for processes that they start. */
public final class OwnJvm {
  private OwnJvm() {}

  /** Returns the beginning of a command line for another JVM, with its JIT options. */
  public static List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(compilers());
    return command;
  }

  /** Returns the JIT options of processes that tests start, from the build; none for benchmarks. */
  public static List<String> compilers() {
    String options = System.getProperty("watchgate.test.started.jvm", "");
    return options.isEmpty() ? List.of() : List.of(options);
  }
}
