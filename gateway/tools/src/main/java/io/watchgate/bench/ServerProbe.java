package io.watchgate.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Sampler of the server's resource usage, from Linux and from its metrics page. Each source is
 * optional; values of Linux take precedence.
 */
final class ServerProbe implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Optional<URI> metrics;
  private final OptionalLong pid;
  private final ProcFiles files;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  /**
   * @param metrics URI of the metrics page
   * @param pid process ID, if the server runs on this machine
   */
  ServerProbe(Optional<URI> metrics, OptionalLong pid, ProcFiles files) {
    this.metrics = metrics;
    this.pid = pid;
    this.files = files;
  }

  ServerUsage sample() throws InterruptedException {
    ServerUsage seen = pid.isPresent() ? fromLinux(pid.getAsLong()) : ServerUsage.UNKNOWN;
    return seen.or(fromMetrics());
  }

  private ServerUsage fromLinux(long process) {
    double compiling = JitCpuTime.seconds(files, process);
    return new ServerUsage(
        files.processSeconds(process) - compiling,
        compiling,
        files.residentBytes(process),
        Double.NaN,
        Double.NaN,
        Double.NaN);
  }

  private ServerUsage fromMetrics() throws InterruptedException {
    if (metrics.isEmpty()) {
      return ServerUsage.UNKNOWN;
    }
    try {
      HttpRequest request = HttpRequest.newBuilder(metrics.get()).timeout(TIMEOUT).build();
      HttpResponse<String> page = client.send(request, HttpResponse.BodyHandlers.ofString());
      return page.statusCode() == 200 ? MetricsPage.read(page.body()) : ServerUsage.UNKNOWN;
    } catch (IOException e) {
      return ServerUsage.UNKNOWN;
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
