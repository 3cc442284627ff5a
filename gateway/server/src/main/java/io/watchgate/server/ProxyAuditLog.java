package io.watchgate.server;

import io.watchgate.audit.AuditLog;
import io.watchgate.http.ProxyAudit;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Audit of the reads over the Kubernetes API, in the same log as those over gRPC. Thread-safe. */
final class ProxyAuditLog implements ProxyAudit {
  private final AuditLog log;
  private final String idPrefix;
  private final AtomicLong watches = new AtomicLong();

  /**
   * @param serverId name of this gateway, with which the ids of its watches begin
   */
  ProxyAuditLog(AuditLog log, String serverId) {
    this.log = log;
    this.idPrefix = serverId + "-kube-";
  }

  @Override
  public void answered(AuditedRead read) {
    write(AuditLog.Event.LISTED, read, ErrorReason.ERROR_REASON_UNSPECIFIED);
  }

  @Override
  public void denied(AuditedRead read, ErrorReason reason) {
    write(AuditLog.Event.DENIED, read, reason);
  }

  private void write(AuditLog.Event event, AuditedRead read, ErrorReason reason) {
    if (log.isEnabled()) {
      log.write(event, subject(read, /* stream= */ ""), reason);
    }
  }

  @Override
  public OpenWatch opened(AuditedRead read) {
    if (!log.isEnabled()) {
      return (reason, by, lasted, bytes) -> {};
    }
    // The number alone, and the subject made again at the end: an open watch has to be small.
    long number = watches.incrementAndGet();
    log.write(
        AuditLog.Event.OPENED,
        subject(read, idPrefix + number),
        ErrorReason.ERROR_REASON_UNSPECIFIED);
    return (reason, by, lasted, bytes) -> {
      boolean hasReason = reason != ErrorReason.ERROR_REASON_UNSPECIFIED;
      log.write(
          AuditLog.Event.ENDED,
          subject(read, idPrefix + number),
          reason,
          new AuditLog.StreamEnd(
              lasted, bytes, hasReason ? "" : by.name().toLowerCase(Locale.ROOT)));
    };
  }

  private static AuditLog.Subject subject(AuditedRead read, String stream) {
    Selection.Builder selection =
        Selection.newBuilder()
            .setResourceType(
                ResourceType.newBuilder()
                    .setGroup(read.type().group())
                    .setVersion(read.type().version())
                    .setResource(read.type().resource()))
            .setLabelSelector(read.labelSelector())
            .setFieldSelector(read.fieldSelector());
    if (!read.namespace().isEmpty()) {
      selection.addNamespaces(read.namespace());
    }
    return new AuditLog.Subject(
        read.verb(),
        read.caller(),
        read.credentials(),
        read.address(),
        read.port(),
        read.client(),
        stream,
        read.traceparent(),
        selection.build());
  }
}
