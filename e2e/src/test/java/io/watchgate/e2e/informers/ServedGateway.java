package io.watchgate.e2e.informers;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.faults.Command;
import java.net.URI;
import java.time.Duration;

/** {@code watchgate serve} over TLS, with the pods loaded. */
public final class ServedGateway implements AutoCloseable {
  private static final int HEAP_MIB = 1_024;

  private final Command command;
  private final int port;

  private ServedGateway(Command command) {
    this.command = command;
    this.port = command.awaitServing().grpc();
  }

  /**
   * Starts the gateway. Returns once it serves; a request for pods waits until the pods are loaded.
   */
  public static ServedGateway start(Apiserver apiserver) {
    return new ServedGateway(Command.startGateway(HEAP_MIB, apiserver, "--type", "pods"));
  }

  /** Returns the port of gRPC. */
  public int port() {
    return port;
  }

  URI uri() {
    return URI.create("https://127.0.0.1:" + port);
  }

  /** Returns the CPU time since the start. */
  public Duration cpu() {
    return command.process().info().totalCpuDuration().orElseThrow();
  }

  @Override
  public void close() {
    command.close();
  }
}
