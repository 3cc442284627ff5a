package io.watchgate.e2e.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.client.WatchClient;
import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.launcher.GatewayBuild;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test of the image's Java runtime: it has the modules that a gateway needs with a real apiserver.
 */
@WithApiserver
final class ImageRuntimeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

  @TempDir private Path folder;

  private Path made() throws Exception {
    Path app = folder.resolve("app");
    GatewayBuild.into(app);
    Path into = folder.resolve("image");
    ProcessBuilder runtime =
        new ProcessBuilder(
                Repository.root().resolve("gateway/deploy/runtime").toString(),
                into.toString(),
                app.toString())
            .inheritIO();
    runtime.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = runtime.start();
    assertThat(process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return into;
  }

  /** Returns the port after {@code what} in the first lines of a gateway's output. */
  private static int port(BufferedReader lines, String what) throws Exception {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher address = ADDRESS.matcher(line);
      if (line.contains(what) && address.find()) {
        return Integer.parseInt(address.group(1));
      }
    }
    throw new AssertionError("it ended without a word of " + what);
  }

  @Test
  void imageRuntime_servesAndEndsOnSignal(Apiserver apiserver) throws Exception {
    Path image = made();
    assertThat(Files.exists(image.resolve("java/bin/javac"))).isFalse();
    ProcessBuilder serve =
        new ProcessBuilder(
            image.resolve("watchgate").toString(),
            "serve",
            "--kubeconfig",
            apiserver.kubeconfig().toString(),
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0",
            "--type",
            "configmaps");
    serve.environment().put("JDK_JAVA_OPTIONS", "-Xmx256m");
    serve.redirectErrorStream(true);
    Process process = ChildProcess.start(serve);
    // also ends the wait for lines
    CompletableFuture.delayedExecutor(LIMIT.toSeconds(), TimeUnit.SECONDS)
        .execute(process::destroyForcibly);
    try (BufferedReader lines = process.inputReader();
        WatchClient client = WatchClient.to("127.0.0.1", port(lines, "gRPC")).build()) {
      long objects =
          client
              .listObjects(
                  ListObjectsRequest.newBuilder()
                      .setSelection(
                          Selection.newBuilder()
                              .setResourceType(ResourceType.newBuilder().setResource("configmaps")))
                      .build(),
                  LIMIT)
              .getTotalObjects();
      assertThat(objects).isNotNegative();
      process.destroy();
      assertThat(process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
