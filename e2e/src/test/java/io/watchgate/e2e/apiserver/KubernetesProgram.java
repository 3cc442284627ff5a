package io.watchgate.e2e.apiserver;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Programs of Kubernetes, built by {@code e2e/apiserver/build} on first use. */
public enum KubernetesProgram {
  /** etcd and kube-apiserver in one process. */
  APISERVER,
  /** Unmodified kubectl. */
  KUBECTL,
  /** Unmodified client-go informer that prints its events, {@code e2e/apiserver/informer}. */
  INFORMER;

  private static final Map<KubernetesProgram, Path> BUILT = new EnumMap<>(KubernetesProgram.class);

  /** Returns the path of the program; needs Go. */
  public Path path() throws Exception {
    synchronized (BUILT) {
      Path path = BUILT.get(this);
      if (path == null) {
        // Two builds at once would only waste time, but minutes of it.
        path = Repository.alone(Repository.cache("apiserver"), this::build);
        BUILT.put(this, path);
      }
      return path;
    }
  }

  private Path build() throws IOException, InterruptedException {
    Path script = Repository.root().resolve("e2e/apiserver/build");
    Process process =
        new ProcessBuilder(
                Program.ofBuild(script.toString(), name().toLowerCase(Locale.ROOT)).command())
            .start();
    process.getOutputStream().close();
    // Prints its progress and Go's errors line by line, because the first build takes minutes.
    Thread progress =
        Thread.ofVirtual().start(() -> process.errorReader().lines().forEach(System.err::println));
    String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    progress.join();
    if (code != 0) {
      throw new IOException(
          script + " ended with " + code + "; the output of Go is on stderr above");
    }
    return Path.of(path.strip());
  }
}
