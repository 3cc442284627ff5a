package io.watchgate.e2e.sdk;

import static java.util.stream.Collectors.joining;

import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Build results of client-sdk/java. */
final class SdkBuild {
  /** Working directory of the tests, as in the build. */
  static final Path MODULE = Repository.root().resolve("client-sdk/java");

  private static final Path TARGET = MODULE.resolve("target");
  static final Path TEST_CLASSES = TARGET.resolve("test-classes");

  /** Line of {@code runtime.txt} with a dependency that is not optional. */
  private static final Pattern BROUGHT =
      Pattern.compile(
          "^ +[^: ]+:[^: ]+:jar:[^: ]+:(?:compile|runtime):(\\S+)(?! *\\(optional)(?: .*)?$",
          Pattern.MULTILINE);

  private SdkBuild() {}

  /** Returns the published jar. */
  static Path jar() throws IOException {
    return only(TARGET, "watchgate-client-sdk-\\d[^-]*(-SNAPSHOT)?\\.jar");
  }

  /** Returns the jar and its dependencies, without optional ones, nearest first. */
  static List<Path> classPath() throws IOException {
    return withJar(
        BROUGHT
            .matcher(Files.readString(TARGET.resolve("runtime.txt")))
            .results()
            .map(line -> line.group(1)));
  }

  /** Returns a program in one source file, with the class path of a project that has the SDK. */
  static Program program(Path source) throws IOException {
    return Program.of(OwnJvm.command().toArray(String[]::new))
        .and("--source", "17", "-cp")
        .and(classPath().stream().map(Path::toString).collect(joining(File.pathSeparator)))
        .and(source.toString());
  }

  /** Returns the class path with the dependencies of the tests, without the tests. */
  static List<Path> classPathOfTests() throws IOException {
    return withJar(
        Pattern.compile(File.pathSeparator, Pattern.LITERAL)
            .splitAsStream(Files.readString(TARGET.resolve("test-class-path.txt")).strip()));
  }

  private static List<Path> withJar(Stream<String> others) throws IOException {
    return Stream.concat(Stream.of(jar()), others.map(Path::of)).toList();
  }

  /** Returns the oldest supported protobuf. */
  static Path oldestProtobuf() throws IOException {
    return only(TARGET.resolve("oldest"), "protobuf-java-3\\.25\\..*\\.jar");
  }

  private static Path only(Path folder, String name) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> found = files.filter(file -> file.getFileName().toString().matches(name)).toList();
      if (found.size() != 1) {
        throw new IOException(folder + " has " + found + ", instead of one " + name);
      }
      return found.getFirst();
    }
  }
}
