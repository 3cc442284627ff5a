package io.watchgate.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** Tests of the class path of a project that depends only on client-sdk. */
final class ClassPathTest {
  private static final long MOST_BYTES = 20_000_000;

  /** Class file version of Java 17. */
  private static final int MAJOR_17 = 61;

  @Test
  void classPath_isAtMostTwentyMegabytes() throws IOException {
    List<Path> jars = SdkBuild.classPath();
    long bytes = 0;
    for (Path jar : jars) {
      assertThat(jar).isRegularFile();
      bytes += Files.size(jar);
    }
    String size = "%d jars, %.1f MB".formatted(jars.size(), bytes / 1e6);
    System.out.println("The class path of client-sdk: " + size);

    assertThat(bytes).isBetween(5_000_000L, MOST_BYTES);
    assertThat(Files.readString(Repository.root().resolve("docs/how-to/java.md"))).contains(size);
  }

  @Test
  void jars_haveModuleNames() throws IOException {
    assertThat(moduleName(SdkBuild.jar())).isEqualTo("io.watchgate.client");
    assertThat(SdkBuild.classPath().stream().filter(ClassPathTest::isOurs))
        .extracting(ClassPathTest::moduleName)
        .containsExactlyInAnyOrder(
            "io.watchgate.client", "io.watchgate.proto", "io.watchgate.formats");
  }

  private static boolean isOurs(Path jar) {
    return jar.getFileName().toString().startsWith("watchgate-");
  }

  private static String moduleName(Path jar) {
    try (JarFile file = new JarFile(jar.toFile())) {
      return String.valueOf(
          file.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
    } catch (IOException e) {
      throw new AssertionError(jar.toString(), e);
    }
  }

  /** Java 17 ignores the classes for newer releases in a multi-release jar. */
  @Test
  void classes_areReadableByJava17() throws IOException {
    List<String> tooNew = new ArrayList<>();
    int ours = 0;
    for (Path jar : SdkBuild.classPath()) {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (JarEntry entry : Collections.list(file.entries())) {
          String name = entry.getName().toLowerCase(Locale.ROOT);
          if (name.endsWith(".class") && !name.startsWith("meta-inf/versions/")) {
            ours += isOurs(jar) ? 1 : 0;
            if (major(file, entry) > MAJOR_17) {
              tooNew.add(jar.getFileName() + ": " + entry.getName());
            }
          }
        }
      }
    }
    assertThat(tooNew).isEmpty();
    assertThat(ours).isGreaterThan(100);
  }

  /** proto-google-common-protos, a dependency of gRPC, is excluded: 3 MB. */
  @Test
  void excludedDependency_isNotNeeded() throws IOException {
    assertThat(SdkBuild.classPath())
        .noneMatch(jar -> jar.toString().contains("proto-google-common-protos"));
    for (Path jar : SdkBuild.classPath().stream().filter(ClassPathTest::isOurs).toList()) {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (JarEntry entry : Collections.list(file.entries())) {
          byte[] content = file.getInputStream(entry).readAllBytes();
          assertThat(new String(content, StandardCharsets.ISO_8859_1))
              .as(entry.getName())
              .doesNotContain("com/google/rpc/");
        }
      }
    }
  }

  private static int major(JarFile file, JarEntry entry) throws IOException {
    try (DataInputStream in = new DataInputStream(file.getInputStream(entry))) {
      assertThat(in.readInt()).as(entry.getName()).isEqualTo(0xCAFEBABE);
      in.readUnsignedShort();
      return in.readUnsignedShort();
    }
  }
}
