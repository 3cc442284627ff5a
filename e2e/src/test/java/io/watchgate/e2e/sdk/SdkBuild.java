package io.watchgate.e2e.sdk;

import io.watchgate.e2e.Repository;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the build has made of client-sdk. */
final class SdkBuild {
  /** The tests run in it, as in the build. */
  static final Path MODULE = Repository.root().resolve("client-sdk");

  private static final Path TARGET = MODULE.resolve("target");
  static final Path TEST_CLASSES = TARGET.resolve("test-classes");

  /** A line of {@code runtime.txt}, but one of what is optional. */
  private static final Pattern BROUGHT =
      Pattern.compile(
          "^ +[^: ]+:[^: ]+:jar:[^: ]+:(?:compile|runtime):(\\S+)(?! *\\(optional)(?: .*)?$",
          Pattern.MULTILINE);

  private SdkBuild() {}

  /** What users get. */
  static Path jar() throws IOException {
    return only(TARGET, "watchgate-client-sdk-\\d[^-]*(-SNAPSHOT)?\\.jar");
  }

  /** The jar and all that it brings, but what is optional, nearest first. */
  static List<Path> classPath() throws IOException {
    return withJar(
        BROUGHT
            .matcher(Files.readString(TARGET.resolve("runtime.txt")))
            .results()
            .map(line -> line.group(1)));
  }

  /** The same with what its tests need, but not the tests. */
  static List<Path> classPathOfTests() throws IOException {
    return withJar(
        Pattern.compile(File.pathSeparator, Pattern.LITERAL)
            .splitAsStream(Files.readString(TARGET.resolve("test-class-path.txt")).strip()));
  }

  private static List<Path> withJar(Stream<String> others) throws IOException {
    return Stream.concat(Stream.of(jar()), others.map(Path::of)).toList();
  }

  /** The oldest protobuf that it is for. */
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
