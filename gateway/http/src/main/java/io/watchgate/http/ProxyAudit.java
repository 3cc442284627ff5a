package io.watchgate.http;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Credentials;
import io.watchgate.cache.TypeReference;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Audit log of reads that were answered from a cache, or that the gateway itself refused. Relayed
 * requests are in the audit log of the apiserver. Thread-safe.
 */
public interface ProxyAudit {
  /**
   * Read of a caller.
   *
   * @param caller null while the caller is unknown
   * @param credentials kind of what the request presented, as {@link Credentials#kind}
   * @param port 0 if there is none
   * @param client name that the client gives itself
   * @param namespace empty for all
   */
  record AuditedRead(
      AccessAttributes.Verb verb,
      @Nullable Caller caller,
      String credentials,
      String address,
      int port,
      String client,
      TypeReference type,
      String namespace,
      String labelSelector,
      String fieldSelector) {
    static AuditedRead of(
        AccessAttributes.Verb verb,
        ApiPath path,
        @Nullable Caller caller,
        Credentials credentials,
        Exchange exchange) {
      return new AuditedRead(
          verb,
          caller,
          credentials.kind(),
          exchange.remoteAddress(),
          exchange.remotePort(),
          exchange.header(HttpHeader.USER_AGENT),
          new TypeReference(path.group(), path.version(), path.resource()),
          path.namespace(),
          exchange.query().text("labelSelector"),
          path.name().isEmpty()
              ? exchange.query().text("fieldSelector")
              : "metadata.name=" + path.name());
    }
  }

  /** Records a get or a list. */
  void answered(AuditedRead read);

  /** Records a read that is refused for its credentials or by a limit. */
  void denied(AuditedRead read, ErrorReason reason);

  /** Records the begin of a watch. */
  OpenWatch opened(AuditedRead read);

  /** Watch whose end is to be recorded, once. */
  interface OpenWatch {
    /**
     * Records the end.
     *
     * @param reason UNSPECIFIED if the client ended it
     * @param bytes bytes of its frames
     */
    void ended(ErrorReason reason, Duration lasted, long bytes);
  }
}
