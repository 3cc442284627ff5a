package io.watchgate.http;

import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.PemException;
import io.watchgate.pem.ReloadingPem;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of a server whose files may be replaced while it runs. Files that cannot be used, or whose
 * certificate is not valid now, are reported once, and the pair before stays in use. Thread-safe.
 */
final class TlsContext {
  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

  private final TlsFiles files;
  private final InstantSource clock;
  private final ReloadingPem<SSLContext> pem;
  private final AtomicBoolean reloading = new AtomicBoolean();
  private volatile @Nullable CertificateAndKey held;
  private volatile SSLContext current;

  /**
   * @throws IOException if a file cannot be used, with the cause in one line
   */
  TlsContext(TlsFiles files, InstantSource clock) throws IOException {
    this.files = files;
    this.clock = clock;
    this.pem =
        new ReloadingPem<>("the certificate of the HTTP server", files.sources(), this::read);
    this.current = pem.current();
  }

  private SSLContext read(List<String> texts) throws PemException {
    CertificateAndKey identity = files.identity(texts);
    CertificateAndKey before = held;
    if (before != null) {
      identity.requireMayReplace(before, files.certificate().toString(), clock.instant());
    }
    SSLContext context = files.context(identity);
    held = identity;
    return context;
  }

  /** Returns the context that was read last. */
  SSLContext current() {
    return current;
  }

  /**
   * Reads the files again, if the last read has ended; connections made later use a new pair.
   *
   * @param thread runs the read, which blocks as long as the file system does
   */
  void reload(SslContextFactory.Server server, Executor thread) {
    if (reloading.compareAndSet(false, true)) {
      thread.execute(
          () -> {
            try {
              reload(server);
            } finally {
              reloading.set(false);
            }
          });
    }
  }

  private void reload(SslContextFactory.Server server) {
    try {
      SSLContext context = pem.current();
      if (!context.equals(current)) { // ReloadingPem returns the same one until a file changes
        server.reload(it -> it.setSslContext(context));
        current = context;
      }
    } catch (Exception e) {
      LOG.warn(
          "the new TLS files cannot be used; the previous ones stay in use: {}", e.getMessage());
    }
  }
}
