package io.watchgate.cli;

import io.grpc.StatusRuntimeException;
import io.watchgate.client.ErrorAction;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Client of the gateway's unary calls. It retries for up to 30 s while the gateway is not ready,
 * for example while it loads a type that had no watch before. Not thread-safe.
 */
final class UnaryClient {
  /** Timeout of one call. */
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final Duration RETRY_LIMIT = Duration.ofSeconds(30);
  private static final Duration MIN_WAIT = Duration.ofMillis(200);

  private final String server;
  private final Selection selection;
  private final ReconnectReporter reporter;
  private final long deadline = System.nanoTime() + RETRY_LIMIT.toNanos();
  private boolean isWaitReported;

  UnaryClient(String server, Selection selection, ReconnectReporter reporter) {
    this.server = server;
    this.selection = selection;
    this.reporter = reporter;
  }

  /** Part of a command that sends requests and prints the responses. */
  @FunctionalInterface
  interface Printing {
    int print(WatchClient client) throws IOException, RequestFailedException, InterruptedException;
  }

  /**
   * Connects, and reports a failure of the connection, of a request, or of the output.
   *
   * @return exit code of the command
   */
  static int print(ClientOptions server, ReconnectReporter reporter, Printing printing)
      throws InterruptedException {
    Optional<WatchClient> client = server.connect(reporter);
    if (client.isEmpty()) {
      return ExitCodes.FAILED;
    }
    try (WatchClient connected = client.get()) {
      return printing.print(connected);
    } catch (RequestFailedException e) {
      reporter.report(e.text());
    } catch (IOException e) {
      if (Stdio.isBrokenPipe(e)) {
        return ExitCodes.SUCCESS;
      }
      reporter.report("cannot write to stdout: " + e.getMessage());
    }
    return ExitCodes.FAILED;
  }

  /**
   * Returns the response.
   *
   * @throws RequestFailedException if there is none
   */
  <T> T callWithRetry(Supplier<T> call) throws RequestFailedException, InterruptedException {
    while (true) {
      try {
        return call.get();
      } catch (StatusRuntimeException e) {
        waitAfter(WatchError.of(e));
      }
    }
  }

  private void waitAfter(WatchError error) throws RequestFailedException, InterruptedException {
    if (!error.isFromGateway()) {
      throw new RequestFailedException(
          "cannot ask the gateway at "
              + server
              + ": "
              + ErrorText.of(error)
              + "\n  "
              + TransportErrorText.of(error).advice());
    }
    if (error.reason().equals("PAGE_EXPIRED")) {
      throw new RequestFailedException(
          ErrorText.of(error)
              + "\n  what is printed is not complete; run this again"
              + ErrorText.pointer(error));
    }
    Duration wait = error.retryAfter().compareTo(MIN_WAIT) < 0 ? MIN_WAIT : error.retryAfter();
    if (error.action() != ErrorAction.RESUME
        || error.reason().equals(ErrorText.UPSTREAM_FORBIDDEN)
        || error.reason().equals("TOO_STALE") // the gateway has tried for some seconds
        || System.nanoTime() + wait.toNanos() - deadline > 0) {
      throw new RequestFailedException(ErrorText.of(error, selection));
    }
    if (!isWaitReported) {
      reporter.report(
          "waiting: "
              + ErrorText.clause(error)
              + "; retrying for up to "
              + RETRY_LIMIT.toSeconds()
              + " s, Ctrl-C stops"
              + ErrorText.pointer(error));
      isWaitReported = true;
    }
    Thread.sleep(wait);
  }

  /** Failure of a unary request. The message has the reason and a hint, in one or several lines. */
  static final class RequestFailedException extends Exception {
    RequestFailedException(String message) {
      super(message);
    }

    String text() {
      return String.valueOf(getMessage());
    }
  }
}
