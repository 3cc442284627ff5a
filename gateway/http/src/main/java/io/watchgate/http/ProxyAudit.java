package io.watchgate.http;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.cache.ApiResource;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/**
 * Audit log of reads that were answered from a cache. Relayed requests are in the audit log of the
 * apiserver. Thread-safe.
 */
public interface ProxyAudit {
  /**
   * Read of a caller.
   *
   * @param port 0 if there is none
   * @param client name that the client gives itself
   * @param namespace empty for all
   */
  record AuditedRead(
      AccessAttributes.Verb verb,
      Caller caller,
      String address,
      int port,
      String client,
      ApiResource type,
      String namespace,
      String labelSelector,
      String fieldSelector) {}

  /** Records a get or a list. */
  void answered(AuditedRead read);

  /** Records the begin of a watch. */
  void opened(AuditedRead read);

  /**
   * Records the end of a watch.
   *
   * @param reason UNSPECIFIED if the client ended it
   * @param bytes bytes of its frames
   */
  void ended(AuditedRead read, ErrorReason reason, Duration lasted, long bytes);
}
