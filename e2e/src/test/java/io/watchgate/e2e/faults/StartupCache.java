package io.watchgate.e2e.faults;

import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.Repository;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * AOT cache (JEP 514) of the gateway's classes. The tests start more than two hundred gateways.
 * With the cache each serves after 0.8 s in place of 1.7, and uses 1.4 s of CPU until then in place
 * of 2.6. It is made once in a run, by a demo that is ended after its first row. There is none if
 * the tests run before anything is packaged, because a cache is made of jars.
 */
final class StartupCache {
  private static final long LIMIT_SECONDS = 60;

  private static @Nullable List<String> options;

  private StartupCache() {}

  /** Returns the JVM options with which a process of this class path uses the cache. */
  static synchronized List<String> options(String classPath) {
    List<String> made = options;
    if (made == null) {
      made = hasOnlyJars(classPath) ? make(classPath) : List.of();
      options = made;
    }
    return made;
  }

  private static boolean hasOnlyJars(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator))
        .allMatch(entry -> Files.isRegularFile(Path.of(entry)));
  }

  private static List<String> make(String classPath) {
    Path cache = Repository.target("startup").resolve("gateway.aot");
    List<String> line = new ArrayList<>(OwnJvm.command());
    line.addAll(
        List.of(
            "-XX:AOTCacheOutput=" + cache, "--enable-native-access=ALL-UNNAMED", "-Xlog:disable"));
    line.addAll(List.of("-cp", classPath, "io.watchgate.cli.Main", "demo"));
    for (String port : List.of("--listen", "--http-listen", "--sandbox-listen")) {
      line.addAll(List.of(port, "127.0.0.1:0"));
    }
    try {
      Files.deleteIfExists(cache);
      Process demo = ChildProcess.start(new ProcessBuilder(line).redirectError(Redirect.DISCARD));
      try (BufferedReader output = demo.inputReader()) {
        awaitRow(output);
        demo.destroy();
        if (!demo.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
          demo.destroyForcibly();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a cache was made", e);
    }
    return Files.exists(cache)
        ? List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off:stderr")
        : List.of();
  }

  private static void awaitRow(BufferedReader output) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith("ADDED") || line.startsWith("MODIFIED")) {
        return;
      }
    }
  }
}
