package io.watchgate.http;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Credentials;
import io.watchgate.cache.TypeReference;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.fanout.TraceParent;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.jetty.http.HttpFields;
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
   * @param headers headers of the request, which keeps them anyway
   * @param namespace empty for all
   */
  record AuditedRead(
      AccessAttributes.Verb verb,
      @Nullable Caller caller,
      String credentials,
      String address,
      int port,
      HttpFields headers,
      TypeReference type,
      String namespace,
      String labelSelector,
      String fieldSelector) {
    static AuditedRead of(
        AccessAttributes.Verb verb,
        ApiPath path,
        @Nullable Caller caller,
        Credentials credentials,
        ApiExchange exchange) {
      return new AuditedRead(
          verb,
          caller,
          credentials.kind(),
          exchange.remoteAddress(),
          exchange.remotePort(),
          exchange.request().getHeaders(),
          new TypeReference(path.group(), path.version(), path.resource()),
          path.namespace(),
          exchange.query().text("labelSelector"),
          path.name().isEmpty()
              ? exchange.query().text("fieldSelector")
              : "metadata.name=" + path.name());
    }

    /** Returns the name that the client gives itself. */
    public String client() {
      String agent = headers.get(HttpHeader.USER_AGENT);
      return agent == null ? "" : agent;
    }

    /** Returns the {@link TraceParent} of the request; empty if it has none. */
    public String traceparent() {
      return TraceParent.of(headers.getValuesList(TraceParent.HEADER));
    }

    /** Returns the identity of the client on the pages for operators. */
    StreamIdentity identity(Instant opened) {
      return new StreamIdentity(
          "",
          "kubernetes",
          client(),
          client(),
          caller == null ? "" : caller.user(),
          address,
          traceparent(),
          opened);
    }

    /** Returns the name of the type on those pages. */
    String groupResource() {
      return new TypeReference(type.group(), "", type.resource()).toString();
    }
  }

  /** Records a get or a list. */
  void answered(AuditedRead read);

  /** Records a read that is refused for its credentials or by a limit. */
  void denied(AuditedRead read, ErrorReason reason);

  /** Records the begin of a watch. */
  OpenWatch opened(AuditedRead read);

  /** Side that ended a watch, if the gateway gave no reason. */
  enum Side {
    /** The client closed it, or its connection. */
    CLIENT,
    /** The connection took no bytes for too long. */
    CONNECTION,
    /** The gateway failed. */
    INTERNAL
  }

  /** Watch whose end is to be recorded, once. */
  interface OpenWatch {
    /**
     * Records the end.
     *
     * @param reason UNSPECIFIED if the gateway gave none
     * @param by side that ended it; valid if there is no reason
     * @param bytes bytes of its frames
     */
    void ended(ErrorReason reason, Side by, Duration lasted, long bytes);
  }
}
