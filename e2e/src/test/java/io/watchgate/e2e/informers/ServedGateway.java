package io.watchgate.e2e.informers;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.faults.Command;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code watchgate serve} over TLS, with the pods loaded. */
final class ServedGateway implements AutoCloseable {
  private static final int HEAP_MIB = 1_024;
  private static final Pattern SERVING =
      Pattern.compile("serving gRPC on 127\\.0\\.0\\.1:(\\d+).* on 127\\.0\\.0\\.1:(\\d+)");

  private final Command command;
  private final int port;

  private ServedGateway(Command command) {
    this.command = command;
    Matcher line = SERVING.matcher(command.awaitErr("serving gRPC on"));
    if (!line.find()) {
      throw new IllegalStateException("it does not say where it serves");
    }
    port = Integer.parseInt(line.group(1));
  }

  /** Returns once it serves; what asks for pods before it has them waits for them. */
  static ServedGateway start(Apiserver apiserver) {
    return new ServedGateway(
        Command.start(
            HEAP_MIB,
            "serve",
            "--kubeconfig",
            apiserver.kubeconfig().toString(),
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0",
            "--tls-cert",
            apiserver.file(Credential.SERVER).toString(),
            "--tls-key",
            apiserver.file(Credential.SERVER_KEY).toString(),
            "--type",
            "pods"));
  }

  int port() {
    return port;
  }

  URI uri() {
    return URI.create("https://127.0.0.1:" + port);
  }

  /** Since it began. */
  Duration cpu() {
    return command.process().info().totalCpuDuration().orElseThrow();
  }

  @Override
  public void close() {
    command.close();
  }
}
