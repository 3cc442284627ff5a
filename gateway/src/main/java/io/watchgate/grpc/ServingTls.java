package io.watchgate.grpc;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.watchgate.pem.Identity;
import io.watchgate.pem.Pem;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import io.watchgate.pem.Reread;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the gateway shows subscribers who it is, and has them show who they are. Its files may be
 * replaced at any time: {@link #follow} takes over what can be used, for connections from then on,
 * and leaves everything as it was where something cannot. Connections that are there stay.
 * Thread-safe.
 */
public final class ServingTls {
  private static final Logger log = LoggerFactory.getLogger(ServingTls.class);

  /** A session may be taken up again for so long, with a certificate that expired meanwhile too. */
  private static final Duration SESSION = Duration.ofMinutes(5);

  private static final Duration LOOK = Duration.ofSeconds(10);

  private final Files files;
  private final Reread<Identity> identity;
  private final @Nullable Reread<List<X509Certificate>> authorities;
  private final AtomicBoolean looking = new AtomicBoolean();
  private volatile Material material;
  private volatile SslContext context;
  private volatile String failure = "";

  /** The oldest version of TLS that is spoken. */
  public enum Oldest {
    TLS_1_2,
    TLS_1_3;

    private List<String> protocols() {
      return switch (this) {
        case TLS_1_2 -> List.of("TLSv1.2", "TLSv1.3");
        case TLS_1_3 -> List.of("TLSv1.3");
      };
    }
  }

  /**
   * All in PEM.
   *
   * @param certificate the chain, our own certificate first
   * @param key in PKCS #8, PKCS #1 or SEC 1, not encrypted
   * @param clientAuthorities who has no certificate signed by one of these is not let in; null:
   *     nobody is asked for one
   */
  public record Files(
      Path certificate, Path key, @Nullable Path clientAuthorities, Oldest oldest) {}

  /** What connections are made with; authorities null: nobody is asked. */
  private record Material(Identity identity, @Nullable List<X509Certificate> authorities) {}

  /**
   * Reads the files.
   *
   * @throws IOException which names the file that cannot be used, and says why
   */
  public ServingTls(Files files) throws IOException {
    this.files = files;
    this.identity =
        new Reread<>(
            "the gateway's certificate",
            List.of(in(files.certificate), in(files.key)),
            texts ->
                Identity.of(
                    files.certificate.toString(),
                    texts.getFirst(),
                    files.key.toString(),
                    texts.getLast()));
    Path clients = files.clientAuthorities;
    this.authorities =
        clients == null
            ? null
            : new Reread<>(
                "the authority of clients",
                List.of(in(clients)),
                texts -> certificates(clients, texts.getFirst()));
    this.material = read();
    this.context = context(material, files.oldest);
  }

  private static PemSource in(Path file) {
    return new PemSource.InFile(file);
  }

  private static List<X509Certificate> certificates(Path file, String text) throws PemException {
    try {
      return Pem.certificates(text);
    } catch (PemException e) {
      throw new PemException(file + " " + e.getMessage());
    }
  }

  private Material read() throws IOException {
    return new Material(identity.current(), authorities == null ? null : authorities.current());
  }

  /**
   * A context of its own for each state of the files, in place of managers that change inside one:
   * a session that began before is not taken up again, which would let in whose authority is gone;
   * and clients are told which authorities there are now.
   */
  private static SslContext context(Material material, Oldest oldest) throws IOException {
    Identity identity = material.identity;
    SslContextBuilder builder =
        GrpcSslContexts.configure(SslContextBuilder.forServer(identity.key(), identity.chain()))
            .protocols(oldest.protocols())
            .sessionTimeout(SESSION.toSeconds());
    if (material.authorities != null) {
      builder.trustManager(material.authorities).clientAuth(ClientAuth.REQUIRE);
    }
    return builder.build();
  }

  private void take() throws IOException {
    Material found = read();
    if (!found.equals(material)) {
      context = context(found, files.oldest);
      material = found;
    }
  }

  /**
   * Looks at the files every 10 s from now on, on a thread of its own: a file system that hangs
   * holds up nothing else, and no second look.
   *
   * @param timer ends it with itself
   */
  public void follow(ScheduledExecutorService timer) {
    long seconds = LOOK.toSeconds();
    var _ = timer.scheduleWithFixedDelay(this::look, seconds, seconds, TimeUnit.SECONDS);
  }

  private void look() {
    if (looking.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("tls-files")
          .start(
              () -> {
                refresh();
                looking.set(false);
              });
    }
  }

  /** Looks at the files once; a few kilobytes. */
  synchronized void refresh() {
    try {
      take();
      failure = "";
    } catch (IOException | RuntimeException e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(failure)) {
        failure = why;
        log.warn("TLS stays as it was: {}", why);
      }
    }
  }

  /** Whether the files cannot be used as they are now, so that what they held before is. */
  public boolean isRejected() {
    return !failure.isEmpty()
        || !identity.problem().isEmpty()
        || (authorities != null && !authorities.problem().isEmpty());
  }

  /** When the certificate that is shown expires. */
  public Instant expiry() {
    return material.identity.chain().getFirst().getNotAfter().toInstant();
  }

  /** What a server is made with; it follows what is taken over later. */
  SslContext context() {
    return new RenewableSslContext(() -> context);
  }
}
