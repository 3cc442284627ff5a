package io.watchgate.e2e.program;

import io.watchgate.e2e.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Command line that is not started yet.
 *
 * @param folder working directory
 * @param environment added to this JVM's
 */
public record Program(List<String> command, Path folder, Map<String, String> environment) {

  /** Returns a program in the folder of this JVM. */
  public static Program of(String... command) {
    return new Program(List.of(command), Path.of("").toAbsolutePath(), Map.of());
  }

  /**
   * Returns a program that builds something, in the folder of this JVM. It has a low priority,
   * because tests with deadlines run in parallel with it.
   */
  public static Program ofBuild(String... command) {
    return of("nice", "-n", "10").and(command);
  }

  public Program in(Path otherFolder) {
    return new Program(command, otherFolder, environment);
  }

  public Program with(Map<String, String> otherEnvironment) {
    return new Program(command, folder, otherEnvironment);
  }

  /** Returns the program with further arguments. */
  public Program and(String... arguments) {
    return new Program(
        Stream.concat(command.stream(), Stream.of(arguments)).toList(), folder, environment);
  }

  /** Returns a command line of its own that sets the environment, too; the folder is not set. */
  public List<String> commandWithEnvironment() {
    return Stream.of(
            Stream.of("env"),
            environment.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue()),
            command.stream())
        .flatMap(parts -> parts)
        .toList();
  }

  /**
   * Runs the program to its end and returns its output, including stderr.
   *
   * @throws IOException if it cannot be started, or ends with another code than 0
   */
  public String run() throws IOException, InterruptedException {
    Process process = ChildProcess.start(builder().redirectErrorStream(true));
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(
          String.join(" ", command) + " in " + folder + " ended with " + code + ":\n" + output);
    }
    return output;
  }

  /** Starts the program in parallel with the test. */
  public RunningProgram start() {
    try {
      return new RunningProgram(String.join(" ", command), ChildProcess.start(builder()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ProcessBuilder builder() {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(environment);
    return builder;
  }
}
