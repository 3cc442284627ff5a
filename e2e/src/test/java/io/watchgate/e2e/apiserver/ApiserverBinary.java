package io.watchgate.e2e.apiserver;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The program, built by {@code e2e/apiserver/build} when it is first needed. */
final class ApiserverBinary {
  private static @Nullable Path built;

  private ApiserverBinary() {}

  static synchronized Path path() throws Exception {
    Path path = built;
    if (path == null) {
      // Two builds at once would only cost time, but minutes of it.
      path = Repository.alone(Repository.cache("apiserver"), ApiserverBinary::build);
      built = path;
    }
    return path;
  }

  private static Path build() throws IOException, InterruptedException {
    Path script = Repository.root().resolve("e2e/apiserver/build");
    Process process = new ProcessBuilder(script.toString()).start();
    process.getOutputStream().close();
    // Its progress and Go's errors, line by line: the first build takes minutes.
    Thread progress =
        Thread.ofVirtual().start(() -> process.errorReader().lines().forEach(System.err::println));
    String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    progress.join();
    if (code != 0) {
      throw new IOException(
          script + " ended with " + code + "; what Go said stands on stderr above");
    }
    return Path.of(path.strip());
  }
}
