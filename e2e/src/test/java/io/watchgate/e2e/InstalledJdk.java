package io.watchgate.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * JDK that is installed on this machine.
 *
 * @param release 17 for 17.0.15
 */
public record InstalledJdk(Path home, int release) {
  /** {@code JAVA_HOME}, and the names used by continuous integration: {@code JAVA_HOME_17_X64}. */
  private static final Pattern VARIABLE = Pattern.compile("(JAVA|JDK)_?(HOME|\\d+).*");

  private static final List<String> FOLDERS =
      List.of("/usr/lib/jvm", "/opt", "/Library/Java/JavaVirtualMachines");
  private static final List<String> FOLDERS_OF_USER = List.of(".sdkman/candidates/java", ".jdks");
  private static final Pattern VERSION =
      Pattern.compile("^JAVA_VERSION=\"(\\d+)", Pattern.MULTILINE);

  /** Returns the first JDK of that release. */
  public static Optional<InstalledJdk> of(int release) {
    return homes().stream()
        .flatMap(home -> in(home).stream())
        .filter(jdk -> jdk.release == release)
        .findFirst();
  }

  public Path java() {
    return home.resolve("bin/java");
  }

  private static List<Path> homes() {
    List<Path> homes = new ArrayList<>();
    homes.add(Path.of(System.getProperty("java.home")));
    // the JDK that runs Maven, which may be older
    Optional.ofNullable(System.getProperty("watchgate.maven.java.home"))
        .map(Path::of)
        .ifPresent(homes::add);
    for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
      if (VARIABLE.matcher(variable.getKey()).matches()) {
        homes.add(Path.of(variable.getValue()));
      }
    }
    FOLDERS.forEach(folder -> addAll(Path.of(folder), homes));
    Path user = Path.of(System.getProperty("user.home"));
    FOLDERS_OF_USER.forEach(folder -> addAll(user.resolve(folder), homes));
    return homes;
  }

  private static void addAll(Path folder, List<Path> homes) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
      for (Path home : inside) {
        homes.add(home);
        homes.add(home.resolve("Contents/Home"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<InstalledJdk> in(Path home) {
    try {
      Matcher version = VERSION.matcher(Files.readString(home.resolve("release")));
      return version.find() && Files.isExecutable(home.resolve("bin/java"))
          ? Optional.of(new InstalledJdk(home, Integer.parseInt(version.group(1))))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // no JDK, or one without a release file
    }
  }
}
