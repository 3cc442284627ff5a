package io.watchgate.grpc;

import io.watchgate.admission.ClientAddress;
import io.watchgate.audit.AuditLog;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Credentials;
import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Caller, permission and audit state of one stream, from its first byte until the transport has
 * released it. Credentials are kept only until the caller is identified. The selection is kept only
 * if there is an audit log. Thread-safe.
 */
final class StreamSession {
  /** Credentials of an origin that was taken. They authenticate no caller. */
  private static final Credentials TAKEN =
      new Credentials.Unusable("the credentials of this call were used already");

  private static final Pattern CONTROL = Pattern.compile("\\p{C}");

  private final AuditLog audit;
  private final TimeSource time;
  private final String credentials;
  private final boolean byCertificate;
  private final Object address;
  private final int port;
  private final long startNanos;

  /**
   * Origin until it is taken. Then it is kept without credentials if the call has a traceparent: a
   * stream without one must not grow by a field.
   */
  private @Nullable CallOrigin origin;

  private @Nullable Caller caller;
  private AccessController.@Nullable Admitted admitted;
  private Selection selection = Selection.getDefaultInstance();
  private String client = "";
  private final String serverId;

  /** Number of the stream at this server, from 1; 0 until it is admitted. */
  private long number;

  private boolean opened;
  private boolean audited;
  private boolean released;

  /**
   * @param serverId prefix of the stream's id
   */
  StreamSession(CallOrigin origin, String serverId, AuditLog audit, TimeSource time) {
    this.serverId = serverId;
    this.origin = origin;
    this.credentials = origin.credentials().kind();
    this.byCertificate = origin.credentials() instanceof Credentials.Certificate;
    this.address = origin.address();
    this.port = origin.port();
    this.audit = audit;
    this.time = time;
    this.startNanos = time.nanoTime();
  }

  /** Returns whether the caller is identified by the certificate of the connection. */
  boolean isByCertificate() {
    return byCertificate;
  }

  /** Returns the time of its arrival, by {@code nanoTime}. */
  long startNanos() {
    return startNanos;
  }

  /**
   * Records the request and returns the origin of the stream. Called once; the credentials are
   * dropped.
   */
  synchronized CallOrigin takeOrigin(ListAndWatchRequest request) {
    CallOrigin from = origin;
    if (from == null || from.credentials().equals(TAKEN)) {
      throw new IllegalStateException("the origin of this stream was already taken");
    }
    origin = from.traceparent().isEmpty() ? null : from.with(TAKEN);
    client = request.getClientName();
    if (audit.isEnabled()) {
      selection = request.getSelection();
    }
    return from;
  }

  private String traceparent() {
    return origin == null ? "" : origin.traceparent();
  }

  /** Sets the caller without credentials: a token may have 64 KiB, and there are many streams. */
  synchronized void setCaller(Caller known) {
    caller = known.withoutCredentials();
  }

  /** Sets the permission, which is closed when the stream leaves. */
  synchronized void setAdmitted(AccessController.Admitted admission, long streamNumber) {
    admitted = admission;
    number = streamNumber;
    if (released) {
      admission.close();
    }
  }

  /** Audits OPENED unless the client has already left. */
  synchronized void onOpened() {
    if (!released) {
      opened = true;
      write(AuditLog.Event.OPENED, ErrorReason.ERROR_REASON_UNSPECIFIED, null);
    }
  }

  /** Returns the id of a stream on the wire. */
  static String streamId(String serverId, long number) {
    return serverId + "-" + number;
  }

  private String streamId() {
    return number == 0 ? "" : streamId(serverId, number);
  }

  /** Audits that the stream was refused. */
  synchronized void onDenied(ErrorReason reason) {
    if (!audited) {
      audited = true;
      write(AuditLog.Event.DENIED, reason, null);
    }
  }

  /**
   * Audits that the gateway ended the stream, with this reason.
   *
   * @param sentBytes bytes of all responses
   */
  synchronized void onEnded(ErrorReason reason, long sentBytes) {
    if (!audited) {
      audited = true;
      write(AuditLog.Event.ENDED, reason, streamEnd(sentBytes, ""));
    }
  }

  private AuditLog.StreamEnd streamEnd(long sentBytes, String by) {
    return new AuditLog.StreamEnd(Duration.ofNanos(time.nanoTime() - startNanos), sentBytes, by);
  }

  private void write(AuditLog.Event event, ErrorReason reason, AuditLog.@Nullable StreamEnd end) {
    if (audit.isEnabled()) {
      audit.write(
          event,
          new AuditLog.Subject(
              AccessAttributes.Verb.WATCH,
              caller,
              credentials,
              ClientAddress.text(address),
              port,
              client,
              streamId(),
              traceparent(),
              selection),
          reason,
          end);
    }
  }

  /**
   * Releases the permission after the transport has released the stream, and audits the end.
   *
   * @param how null: the client's side did not end it
   * @param sentBytes bytes of all responses
   */
  synchronized void onRelease(@Nullable ClientEnd how, long sentBytes) {
    released = true;
    if (admitted != null) {
      admitted.close();
    }
    if (opened && !audited) {
      audited = true;
      write(
          AuditLog.Event.ENDED,
          ErrorReason.ERROR_REASON_UNSPECIFIED,
          streamEnd(sentBytes, how == null ? ClientEnd.INTERNAL : how.label()));
    }
  }

  /** Returns the client of the stream, for operators. */
  synchronized StreamIdentity identity(String api, String agent) {
    return new StreamIdentity(
        streamId(),
        api,
        client,
        agent,
        caller == null ? "" : caller.user(),
        ClientAddress.text(address),
        traceparent(),
        time.now().minusNanos(time.nanoTime() - startNanos));
  }

  /** Returns the name of the stream in the log: its id, and the client's name of itself. */
  synchronized String name() {
    return client.isEmpty()
        ? "stream " + streamId()
        : "stream " + streamId() + " (" + CONTROL.matcher(client).replaceAll("?") + ")";
  }
}
