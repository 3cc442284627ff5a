package io.watchgate.http;

import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of a server whose files may be replaced while it runs. Files that cannot be used are reported
 * once, and the pair before stays in use. Used by one thread at a time.
 */
final class TlsContext {
  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

  private final TlsFiles files;
  private final SSLContext first;
  private List<String> texts;
  private String failure = "";

  /**
   * @throws IOException if a file cannot be used, with the cause in one line
   */
  TlsContext(TlsFiles files) throws IOException {
    this.files = files;
    this.texts = texts(files);
    this.first = files.context();
  }

  private static List<String> texts(TlsFiles files) throws IOException {
    return List.of(
        new PemSource.InFile(files.certificate()).read(), new PemSource.InFile(files.key()).read());
  }

  /** Returns the context that was read first. */
  SSLContext current() {
    return first;
  }

  /** Reads the files again if they have changed; connections made later use the new pair. */
  void reload(SslContextFactory.Server server) {
    try {
      List<String> now = texts(files);
      if (now.equals(texts)) {
        return;
      }
      texts = now; // also if they cannot be used: reported once
      SSLContext context = files.context();
      server.reload(it -> it.setSslContext(context));
      failure = "";
      LOG.info("{} was replaced; new connections use it", files.certificate());
    } catch (Exception e) {
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(failure)) {
        failure = reason;
        LOG.warn("the new TLS files cannot be used, the ones before stay in use: {}", reason);
      }
    }
  }
}
