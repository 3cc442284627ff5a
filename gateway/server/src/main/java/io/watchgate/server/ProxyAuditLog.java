package io.watchgate.server;

import io.watchgate.grpc.AuditLog;
import io.watchgate.http.ProxyAudit;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;

/** Audit of the reads over the Kubernetes API, in the same log as those over gRPC. Thread-safe. */
final class ProxyAuditLog implements ProxyAudit {
  private final AuditLog log;

  ProxyAuditLog(AuditLog log) {
    this.log = log;
  }

  @Override
  public void answered(AuditedRead read) {
    write(AuditLog.Event.LISTED, read);
  }

  @Override
  public void opened(AuditedRead read) {
    write(AuditLog.Event.OPENED, read);
  }

  private void write(AuditLog.Event event, AuditedRead read) {
    if (log.isEnabled()) {
      log.write(event, subject(read), ErrorReason.ERROR_REASON_UNSPECIFIED);
    }
  }

  @Override
  public void ended(AuditedRead read, ErrorReason reason, Duration lasted, long bytes) {
    if (log.isEnabled()) {
      String by = reason == ErrorReason.ERROR_REASON_UNSPECIFIED ? "client" : "";
      log.write(
          AuditLog.Event.ENDED, subject(read), reason, new AuditLog.Length(lasted, bytes, by));
    }
  }

  private static AuditLog.Subject subject(AuditedRead read) {
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
        read.caller().credentials().kind(),
        read.address(),
        read.port(),
        read.client(),
        /* stream= */ "",
        selection.build());
  }
}
