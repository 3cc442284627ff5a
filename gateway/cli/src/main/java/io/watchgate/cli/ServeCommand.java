package io.watchgate.cli;

import io.watchgate.cache.CacheSettings;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.pem.FileErrors;
import io.watchgate.sandbox.churn.ChurnSettings.Pace;
import io.watchgate.server.Gateway;
import io.watchgate.server.GatewaySettings;
import io.watchgate.server.Preflight;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
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

/** {@code watchgate serve}: a gateway of one cluster, until it is terminated. */
@Command(
    name = "serve",
    customSynopsis = "watchgate serve [OPTION...]",
    description = {
      "Serves ListAndWatch in front of one cluster, and with --kube-listen the Kubernetes read API,"
          + " until SIGTERM or Ctrl-C: then streams are asked to reconnect elsewhere, and end"
          + " within --drain.",
      "The log goes to stderr."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ended by SIGTERM or Ctrl-C, or with --check no right and no file is missing",
      "1:it could not start, or with --check a right or a file is missing; stderr says why and what"
          + " to do",
      "2:the command line is wrong",
      "3:the heap was full; give more with -Xmx or a larger memory limit of the container"
    })
final class ServeCommand implements Callable<Integer> {
  private static final Logger log = LoggerFactory.getLogger(ServeCommand.class);

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--sandbox",
      description =
          "Serve an embedded sandbox with a small simulated cluster instead of an apiserver."
              + " Default: no.")
  private boolean embedded;

  @Option(
      names = "--check",
      description =
          "Do not serve: read the files of certificates and tokens that the other options name, ask"
              + " the apiserver for every right that they need, print the missing ones as YAML to"
              + " stdout, and end. Without it the same check of rights runs beside the start, and"
              + " one warning lists what is missing. Default: no.")
  private boolean checkOnly;

  @Mixin private final ApiserverOptions apiserver = new ApiserverOptions();
  @Mixin private final SandboxOptions sandbox = new SandboxOptions();
  @Mixin private final ServeOptions options = new ServeOptions();
  @Mixin private final LogOptions logging = new LogOptions();

  @Override
  public Integer call() throws InterruptedException {
    logging.apply();
    // The embedded sandbox keeps a second copy of each object.
    long heap = Runtime.getRuntime().maxMemory() / (embedded ? 2 : 1);
    GatewaySettings settings = options.settings(heap);
    if (embedded && apiserver.isGiven()) {
      throw UsageError.of(
          spec, "--sandbox brings an apiserver along; leave --kubeconfig and --context out");
    }
    if (!embedded && sandbox.isGiven()) {
      throw UsageError.of(spec, "--sandbox-listen, --churn and --seed need --sandbox");
    }
    Optional<String> contradiction = settings.access().sandboxContradiction();
    if (embedded && contradiction.isPresent()) {
      throw UsageError.of(spec, "--sandbox " + contradiction.get());
    }
    if (checkOnly && embedded) {
      throw UsageError.of(spec, "--check is for an apiserver; leave --sandbox out");
    }
    if (checkOnly) {
      // Both, since the rights are often checked elsewhere than where the files are.
      int files = checkFiles(settings);
      return Math.max(files, checkRights(settings));
    }
    Optional<EmbeddedSandbox> cluster;
    try {
      cluster =
          embedded
              ? Optional.of(sandbox.start(options.isInsecure(), settings, heap, Pace.USUAL))
              : Optional.empty();
    } catch (IOException e) {
      return failed(e);
    }
    Gateway gateway;
    try {
      gateway = gateway(cluster, settings);
    } catch (ConfigException | IOException e) {
      cluster.ifPresent(EmbeddedSandbox::close);
      return failed(e);
    }
    Thread closer =
        new Thread(
            () -> {
              log.info("shutting down");
              gateway.close();
              cluster.ifPresent(EmbeddedSandbox::close);
              ShutdownHook.haltWithSuccess();
            },
            "shutdown");
    Runtime.getRuntime().addShutdownHook(closer);
    try {
      gateway.start();
    } catch (IOException e) {
      ShutdownHook.remove(closer); // it would halt with exit code 0
      gateway.close();
      cluster.ifPresent(EmbeddedSandbox::close);
      return failed(e);
    } catch (InterruptedException e) {
      closer.join(); // terminated while waiting
      return 0;
    } catch (RuntimeException | Error e) {
      ShutdownHook.remove(closer);
      gateway.close();
      cluster.ifPresent(EmbeddedSandbox::close);
      throw e;
    }
    cluster.ifPresent(it -> log.info("serving the sandbox on http://{}", it.hostPort()));
    log.info(
        "serving gRPC on {}{}{}, probes and metrics on {}; {}",
        ListenAddress.text(settings.listen(), gateway.port()),
        settings.tls().isPresent() ? " (TLS)" : " (plaintext)",
        kubeApi(settings, gateway),
        ListenAddress.text(settings.httpListen(), gateway.httpPort()),
        gateway.description());
    if (!embedded) {
      Thread.ofPlatform().daemon().name("preflight").start(() -> warnOfMissingRights(settings));
    }
    if (settings.cache().managedFields() == CacheSettings.ManagedFields.DROPPED) {
      log.info("--drop-managed-fields: objects are held and served without metadata.managedFields");
    }
    new CountDownLatch(1).await(); // the shutdown hook halts the JVM
    return 0;
  }

  private static String kubeApi(GatewaySettings settings, Gateway gateway) {
    OptionalInt port = gateway.kubePort();
    return port.isEmpty()
        ? ""
        : ", the Kubernetes read API on "
            + ListenAddress.text(settings.kubeApi().orElseThrow().listen(), port.getAsInt());
  }

  private Gateway gateway(Optional<EmbeddedSandbox> cluster, GatewaySettings settings)
      throws ConfigException, IOException {
    ClientConfig access =
        cluster.isPresent() ? cluster.get().clientConfig() : apiserver.clientConfig();
    if (access.isUnverified()) {
      log.warn(
          "{}: insecure-skip-tls-verify: a host between the gateway and the apiserver can read and"
              + " change what is served",
          access.source());
    }
    return new Gateway(access, settings);
  }

  private int checkFiles(GatewaySettings settings) {
    try {
      Preflight.checkFiles(settings);
      return 0;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private int checkRights(GatewaySettings settings) throws InterruptedException {
    Preflight.Result result;
    try (Preflight preflight = Preflight.of(apiserver.clientConfig(), settings)) {
      result = preflight.check();
    } catch (ConfigException e) {
      return failed(e);
    }
    return switch (result) {
      case Preflight.Unanswered(String reason) -> failed(reason);
      case Preflight.Answered(var account, var missing, var unknownTypes) -> {
        String forAccount = account.map(name -> " for " + name).orElse("");
        if (!missing.isEmpty()) {
          PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
          out.print(new MissingRights(account, missing).yaml());
          out.flush();
        }
        unknownTypes.forEach(this::failed);
        if (!missing.isEmpty()) {
          yield failed(
              account.isPresent()
                  ? "rights are missing" + forAccount + "; kubectl apply -f the YAML on stdout"
                  : "rights are missing; name the gateway's account in the YAML on stdout, and"
                      + " apply it");
        }
        if (!unknownTypes.isEmpty()) {
          yield 1;
        }
        Objects.requireNonNull(spec)
            .commandLine()
            .getErr()
            .println(
                "no right is missing"
                    + forAccount
                    + (settings.types().isEmpty()
                        ? "; no --type was given, so rights to read types were not checked"
                        : ""));
        yield 0;
      }
    };
  }

  /** Never fails: serving does not depend on the check. */
  private void warnOfMissingRights(GatewaySettings settings) {
    try (Preflight preflight = Preflight.of(apiserver.clientConfig(), settings)) {
      switch (preflight.check()) {
        case Preflight.Answered(var account, var missing, var _) -> {
          if (!missing.isEmpty()) {
            log.warn(
                "{} lacks rights at the apiserver: {}; the same command with --check"
                    + " prints the YAML that grants them",
                account.orElse("the gateway's account"),
                new MissingRights(account, missing).line());
          }
        }
        case Preflight.Unanswered(String reason) -> log.debug("rights not checked: {}", reason);
      }
    } catch (ConfigException | RuntimeException e) {
      log.debug("rights not checked", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int failed(Exception cause) {
    return failed(
        cause instanceof IOException io ? FileErrors.text(io) : String.valueOf(cause.getMessage()));
  }

  private int failed(String message) {
    Objects.requireNonNull(spec).commandLine().getErr().println("watchgate serve: " + message);
    return 1;
  }
}
