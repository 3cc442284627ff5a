package io.watchgate.e2e.launcher;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The gateway of this build in the launcher's layout: a jar with its libraries in the same folder.
 */
public final class GatewayBuild {
  private static @Nullable Path shared;

  private GatewayBuild() {}

  /** Returns the build that tests share, and do not change. */
  public static synchronized Path shared() throws Exception {
    Path made = shared;
    if (made == null) {
      made = Repository.target("gateway-build");
      Program.of("rm", "-rf", made.toString()).run();
      into(made);
      shared = made;
    }
    return made;
  }

  /** Copies the class path, because the tests may run before anything is packaged. */
  public static void into(Path app) throws IOException {
    Path lib = Files.createDirectories(app.resolve("lib"));
    List<String> names = new ArrayList<>();
    Path tests = Repository.root().resolve("e2e/target/test-classes");
    for (String entry : List.of(System.getProperty("java.class.path").split(File.pathSeparator))) {
      Path from = Path.of(entry);
      if (from.equals(tests)) {
        continue; // has its own logging configuration
      }
      String name = names.size() + ".jar";
      if (Files.isDirectory(from)) {
        pack(from, lib.resolve(name));
      } else if (Files.exists(from)) {
        Files.copy(from, lib.resolve(name));
      } else {
        continue;
      }
      names.add("lib/" + name);
    }
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, "io.watchgate.cli.Main");
    attributes.put(Attributes.Name.CLASS_PATH, String.join(" ", names));
    Path jar = app.resolve("watchgate.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    raiseClassVersions(lib);
  }

  /** Raises the class versions as the launcher does after a build. */
  private static void raiseClassVersions(Path lib) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin/java");
    Path tool = Repository.root().resolve(".mvn/tools/RaiseClassVersions.java");
    Process process =
        new ProcessBuilder(java.toString(), tool.toString(), lib.toString()).inheritIO().start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(tool + " failed, it says why above");
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void pack(Path folder, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(folder.relativize(file).toString().replace('\\', '/')));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }
}
