package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import io.watchgate.http.TlsFiles;
import io.watchgate.pem.FileErrors;
import io.watchgate.sandbox.churn.ChurnSettings.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code watchgate sandbox}: an apiserver in memory, until it is terminated. */
@Command(
    name = "sandbox",
    customSynopsis = "watchgate sandbox [OPTION...]",
    description = {
      "Serves an apiserver that keeps everything in memory, until SIGTERM or Ctrl-C: for kubectl,"
          + " informers, curl and a gateway.",
      "There is no authentication: every client that reaches the port reads and writes. The log"
          + " goes to stderr."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ended by SIGTERM or Ctrl-C",
      "1:it could not start; stderr says why and what to do",
      "2:the command line is wrong",
      "3:the heap was full; give more with -Xmx"
    })
final class SandboxCommand implements Callable<Integer> {
  private static final Logger log = LoggerFactory.getLogger(SandboxCommand.class);

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:8080",
      description = "Address of the apiserver. Default: ${DEFAULT-VALUE}.")
  private String listen = "";

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "Certificate chain of the apiserver, PEM. Needs --tls-key. Default: none, plaintext.")
  private @Nullable Path tlsCert;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "Its private key, PEM, not encrypted. Default: none.")
  private @Nullable Path tlsKey;

  @Option(
      names = "--insecure",
      description = "Serve on an address that is not loopback. Default: no.")
  private boolean insecure;

  @Option(
      names = "--write-kubeconfig",
      paramLabel = "FILE",
      description =
          "New file for a kubeconfig of the sandbox, which must not exist yet: for kubectl, and for"
              + " watchgate serve --kubeconfig. Default: none.")
  private @Nullable Path kubeconfig;

  @Mixin private final ChurnOptions churn = new ChurnOptions();

  @Override
  public Integer call() throws InterruptedException {
    InetSocketAddress address = EmbeddedSandbox.address(spec, "--listen", listen, insecure);
    TlsFiles tls = tls();
    EmbeddedSandbox cluster;
    try {
      cluster =
          new EmbeddedSandbox(
              Runtime.getRuntime().maxMemory(),
              address,
              "--listen",
              tls,
              churn.seed(),
              churn.settings(0, Pace.USUAL));
      writeKubeconfig(cluster, tls);
    } catch (IOException e) {
      requireNonNull(spec).commandLine().getErr().println("watchgate sandbox: " + e.getMessage());
      return 1;
    }
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  log.info("shutting down");
                  cluster.close();
                  ShutdownHook.haltWithSuccess();
                },
                "shutdown"));
    log.info("serving on {}://{}", tls == null ? "http" : "https", cluster.hostPort());
    new CountDownLatch(1).await(); // the shutdown hook halts the JVM
    return 0;
  }

  private @Nullable TlsFiles tls() {
    Path cert = tlsCert;
    Path key = tlsKey;
    if ((cert == null) != (key == null)) {
      throw UsageError.of(spec, "--tls-cert and --tls-key belong together");
    }
    return cert == null || key == null ? null : new TlsFiles(cert, key);
  }

  private void writeKubeconfig(EmbeddedSandbox cluster, @Nullable TlsFiles tls) throws IOException {
    Path file = kubeconfig;
    if (file == null) {
      return;
    }
    try {
      Files.createFile(file);
      Files.writeString(file, kubeconfig(cluster, tls));
    } catch (IOException e) {
      cluster.close();
      throw new IOException(
          "--write-kubeconfig "
              + file
              + (Files.exists(file)
                  ? " exists; remove it or name another file"
                  : " cannot be written: " + FileErrors.ofWriting(e) + "; name another file"),
          e);
    }
  }

  /** Returns JSON, which is valid YAML. */
  private static String kubeconfig(EmbeddedSandbox cluster, @Nullable TlsFiles tls) {
    String server =
        tls == null
            ? "\"server\":\"http://%s\"".formatted(cluster.hostPort())
            : "\"server\":\"https://%s\",\"certificate-authority\":\"%s\""
                .formatted(cluster.hostPort(), tls.certificate().toAbsolutePath());
    return """
    {"apiVersion":"v1","kind":"Config","current-context":"sandbox",
     "clusters":[{"name":"sandbox","cluster":{%s}}],
     "users":[{"name":"anybody","user":{}}],
     "contexts":[{"name":"sandbox","context":{"cluster":"sandbox","user":"anybody"}}]}
    """
        .formatted(server);
  }
}
