package io.watchgate.e2e.informers;

import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.Repository;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/**
 * Class path of a compared library: the dependencies that Maven resolves for a program that depends
 * only on this library, and so in the versions that the library requests.
 *
 * @param entries jars, and class folders of this project's modules
 */
record Libraries(List<Path> entries) {
  static final String OFFICIAL_VERSION = version("client-java.version");
  static final String FABRIC8_VERSION = version("kubernetes-client.version");

  private static final String PLUGIN =
      "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath";

  /** Line of {@code client-sdk/java/target/runtime.txt} with a dependency that is not optional. */
  private static final Pattern OURS =
      Pattern.compile(
          "^ +(?<group>[^: ]+):(?<artifact>[^: ]+):jar:(?<version>[^: ]+):(?:compile|runtime):"
              + "(?<path>\\S+)(?! *\\(optional)(?: .*)?$",
          Pattern.MULTILINE);

  static Libraries of(ComparedLibrary side) throws IOException, InterruptedException {
    List<MatchResult> sdk =
        side.isOurs()
            ? OURS.matcher(Files.readString(ours("runtime.txt"))).results().toList()
            : List.of();
    List<Path> entries = new ArrayList<>();
    List<String> wanted = new ArrayList<>();
    for (MatchResult library : sdk) {
      if (library.group("group").equals("io.watchgate")) {
        entries.add(Path.of(library.group("path")));
      } else if (side.library().isEmpty()) {
        entries.add(Path.of(library.group("path")));
      } else {
        wanted.add(
            library.group("group")
                + ":"
                + library.group("artifact")
                + ":"
                + library.group("version"));
      }
    }
    if (side.isOurs()) {
      entries.addFirst(ours("classes"));
    }
    if (!side.library().isEmpty()) {
      wanted.add(side.library());
      entries.addAll(resolved(side, wanted));
    }
    return new Libraries(entries);
  }

  private static Path ours(String name) {
    return Repository.root().resolve("client-sdk/java/target").resolve(name);
  }

  private static List<Path> resolved(ComparedLibrary side, List<String> wanted)
      throws IOException, InterruptedException {
    Path folder = Files.createDirectories(Repository.target("informers").resolve(side.name()));
    Path list = folder.resolve("class-path.txt");
    Files.deleteIfExists(list);
    Files.writeString(folder.resolve("pom.xml"), program(wanted));
    Process maven =
        ChildProcess.start(
            new ProcessBuilder("mvn", "-B", "-q", PLUGIN, "-Dmdep.outputFile=" + list)
                .directory(folder.toFile())
                .redirectErrorStream(true));
    String output = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (maven.waitFor() != 0) {
      throw new IOException("Maven does not resolve " + wanted + ": " + output);
    }
    return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
        .splitAsStream(Files.readString(list).strip())
        .map(Path::of)
        .toList();
  }

  private static String program(List<String> libraries) {
    String dependencies =
        libraries.stream()
            .map(library -> library.split(":", -1))
            .map(
                part ->
                    "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n"
                        .formatted((Object[]) part))
            .collect(Collectors.joining());
    return """
    <project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>test.example</groupId><artifactId>program</artifactId><version>1</version>
    <dependencies>
    %s</dependencies>
    </project>
    """
        .formatted(dependencies);
  }

  /** Returns the class path including the classes of this module, which all programs need. */
  String classPath() {
    Path tests = Repository.root().resolve("e2e/target/test-classes");
    return Stream.concat(Stream.of(tests), entries.stream())
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /**
   * Returns the size without the classes of this module. A folder counts as the jar built from it.
   */
  long bytes() {
    long bytes = 0;
    for (Path entry : entries) {
      try (Stream<Path> files = Files.walk(entry)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          bytes += file.equals(entry) ? Files.size(file) : packed(Files.readAllBytes(file));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return bytes;
  }

  private static long packed(byte[] content) {
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(content);
      deflater.finish();
      return deflater.deflate(new byte[content.length + 64]);
    } finally {
      deflater.end();
    }
  }

  /** Returns a version property of the build. */
  private static String version(String property) {
    try {
      String pom = Files.readString(Repository.root().resolve("pom.xml"));
      return pom.split("<" + property + ">", 2)[1].split("<", 2)[0];
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
