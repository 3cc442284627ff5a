package io.watchgate.e2e.ops;

import io.grpc.Channel;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import okhttp3.tls.HeldCertificate;

/** Gateways whose process, files or disk have a fault. */
final class ProcessFaults {
  private final FaultEnvironment environment;

  ProcessFaults(FaultEnvironment environment) {
    this.environment = environment;
  }

  /** Returns the starts of the gateways. */
  List<FaultyGateway.Start> all() {
    return List.of(
        this::absent,
        this::down,
        this::paused,
        this::versionsDiffer,
        this::certificateExpires,
        this::certificateExpiresSoon,
        this::certificateRejected,
        this::auditLost);
  }

  private FaultyGateway absent() {
    // The only replica of its job. A replica that does not answer is down, too.
    FaultyGateway absent =
        new FaultyGateway("absent", "WatchgateAbsent", "WatchgateDown").ofJob("alone");
    Command command = absent.serve(environment.kubeconfig());
    absent.scraped(command);
    return absent.broken(() -> command.end("KILL"));
  }

  private FaultyGateway down() {
    FaultyGateway down = new FaultyGateway("down", "WatchgateDown");
    Command command = down.serve(environment.kubeconfig());
    down.scraped(command);
    return down.broken(() -> command.signal("STOP"));
  }

  private FaultyGateway paused() {
    // Scraped so rarely that no scrape times out.
    FaultyGateway paused =
        new FaultyGateway("paused", "WatchgatePaused").scrapedEvery(Duration.ofSeconds(5));
    Command command = paused.serve(environment.kubeconfig());
    paused.scraped(command);
    AtomicInteger pauses = new AtomicInteger();
    return paused.broken(
        () ->
            paused.repeat(
                Duration.ofSeconds(1),
                () -> {
                  if (pauses.incrementAndGet() <= 6) {
                    command.signal("STOP");
                    TimeUnit.MILLISECONDS.sleep(2_600); // the fault itself
                    command.signal("CONT");
                  }
                }));
  }

  private FaultyGateway versionsDiffer() throws IOException {
    FaultyGateway differ = new FaultyGateway("versions-differ", "WatchgateVersionsDiffer");
    Command other =
        differ.own(
            Command.startChanged(
                jarOfVersion("99.0.0"), 96, FaultyGateway.line(environment.kubeconfig())));
    differ.start(environment.kubeconfig(), GatewaySetup.AS_SERVED);
    differ.scraped(other);
    return differ;
  }

  /** Returns the classes of the server in a jar whose manifest names another version. */
  private Path jarOfVersion(String version) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    Path classes = Repository.root().resolve("gateway/server/target/classes");
    Path jar = environment.folder().resolve("server-" + version + ".jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(file).toString().replace('\\', '/');
        if (!name.equals("META-INF/MANIFEST.MF")) {
          entries.putNextEntry(new JarEntry(name));
          Files.copy(file, entries);
        }
      }
    }
    return jar;
  }

  private record TlsFiles(Path certificate, Path key) {
    static TlsFiles of(Path folder, String name, int days) throws IOException {
      HeldCertificate held =
          new HeldCertificate.Builder()
              .addSubjectAlternativeName("127.0.0.1")
              .duration(days, TimeUnit.DAYS)
              .build();
      return new TlsFiles(
          Files.writeString(folder.resolve(name + ".crt"), held.certificatePem()),
          Files.writeString(folder.resolve(name + ".key"), held.privateKeyPkcs8Pem()));
    }

    String[] options() {
      return new String[] {"--tls-cert", certificate.toString(), "--tls-key", key.toString()};
    }
  }

  private FaultyGateway certificateExpires() throws IOException {
    return withCertificateOf(3, "certificate-expires", "WatchgateCertificateExpires");
  }

  private FaultyGateway certificateExpiresSoon() throws IOException {
    // A certificate that expires within a day also expires within a week.
    return withCertificateOf(
        1,
        "certificate-expires-soon",
        "WatchgateCertificateExpires",
        "WatchgateCertificateExpiresSoon");
  }

  private FaultyGateway withCertificateOf(int days, String name, String... expected)
      throws IOException {
    FaultyGateway gateway = new FaultyGateway(name, expected);
    TlsFiles files = TlsFiles.of(environment.folder(), name, days);
    gateway.scraped(gateway.serve(environment.kubeconfig(), files.options()));
    return gateway;
  }

  private FaultyGateway certificateRejected() throws IOException {
    FaultyGateway rejected =
        new FaultyGateway("certificate-rejected", "WatchgateCertificateRejected");
    TlsFiles files = TlsFiles.of(environment.folder(), "year", 365);
    rejected.scraped(rejected.serve(environment.kubeconfig(), files.options()));
    return rejected.broken(() -> Files.writeString(files.certificate, "half a certificate"));
  }

  private FaultyGateway auditLost() {
    FaultyGateway lost = new FaultyGateway("audit-lost", "WatchgateAuditLost");
    // A disk that is full.
    int port =
        lost.scraped(lost.serve(environment.kubeconfig(), "--audit-log", "/dev/full")).grpc();
    Channel channel = lost.connect(port);
    return lost.broken(
        () ->
            lost.repeat(
                FaultEnvironment.PACE,
                () -> {
                  for (int i = 0; i < 20; i++) {
                    Subscriber.open(
                            channel, Requests.watch("pods", FaultEnvironment.NAMESPACE).build())
                        .begun()
                        .close();
                  }
                }));
  }
}
