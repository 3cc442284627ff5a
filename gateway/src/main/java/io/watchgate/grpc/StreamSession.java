package io.watchgate.grpc;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Credentials;
import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whose stream it is and by what right it is open, from its first byte until it has left. What it
 * shows is kept no longer than it takes to find out whose it is; what it selects only where there
 * is an audit log to tell of it. Thread-safe.
 */
final class StreamSession {
  private static final Pattern CONTROL = Pattern.compile("\\p{C}");

  private final AuditLog audit;
  private final TimeSource time;
  private final Object address;
  private final int port;
  private final long since;
  private @Nullable CallOrigin origin;
  private @Nullable Caller caller;
  private AccessController.@Nullable Admitted admitted;
  private Selection selection = Selection.getDefaultInstance();
  private String client = "";
  private String stream = "";

  /** Of all responses. Used on the owner's loop only. */
  private long bytes;

  private boolean opened;
  private boolean told;
  private boolean left;

  StreamSession(CallOrigin origin, AuditLog audit, TimeSource time) {
    this.origin = origin;
    this.address = origin.address();
    this.port = origin.port();
    this.audit = audit;
    this.time = time;
    this.since = time.nanoTime();
  }

  /** When it came, of {@code nanoTime}. */
  long since() {
    return since;
  }

  /** It is known what it asks for. Called once; where it comes from is not known any more then. */
  synchronized CallOrigin asks(ListAndWatchRequest request) {
    CallOrigin from = origin;
    if (from == null) {
      throw new IllegalStateException("a stream asks twice");
    }
    origin = null;
    client = request.getClientName();
    if (audit.isKept()) {
      selection = request.getSelection();
    }
    return from;
  }

  /** Its credentials are not kept: a token may have 64 KiB, and streams are many. */
  synchronized void isOf(Caller known) {
    caller = new Caller(known.identity(), new Credentials.None(), known.expiry());
  }

  /** It was let in, and gives that back when it leaves. */
  synchronized void admitted(AccessController.Admitted place, String id) {
    admitted = place;
    stream = id;
    if (left) {
      place.close();
    }
  }

  /** It is sent to from now on; of one that has left nothing is told. */
  synchronized void opened() {
    if (!left) {
      opened = true;
      write(AuditLog.Event.OPENED, ErrorReason.ERROR_REASON_UNSPECIFIED);
    }
  }

  /** Takes the bytes of all responses; before the end, on the owner's loop. */
  void sent(long total) {
    bytes = total;
  }

  /** It was not let in. */
  synchronized void denied(ErrorReason reason) {
    if (!told) {
      told = true;
      write(AuditLog.Event.DENIED, reason);
    }
  }

  /** The gateway ended it, with this reason. */
  synchronized void ended(ErrorReason reason) {
    if (!told) {
      told = true;
      write(AuditLog.Event.ENDED, reason, "");
    }
  }

  private void write(AuditLog.Event event, ErrorReason reason) {
    write(event, reason, "");
  }

  private void write(AuditLog.Event event, ErrorReason reason, String by) {
    if (audit.isKept()) {
      audit.write(
          event,
          new AuditLog.Subject(
              AccessAttributes.Verb.WATCH,
              caller,
              CallCredentials.text(address),
              port,
              client,
              stream,
              selection),
          reason,
          event == AuditLog.Event.ENDED
              ? new AuditLog.Length(Duration.ofNanos(time.nanoTime() - since), bytes, by)
              : null);
    }
  }

  /**
   * The transport has let go of it.
   *
   * @param how null: the client's side did not end it
   */
  synchronized void leave(@Nullable ClientEnd how) {
    left = true;
    if (admitted != null) {
      admitted.close();
    }
    if (opened && !told) {
      told = true;
      write(
          AuditLog.Event.ENDED,
          ErrorReason.ERROR_REASON_UNSPECIFIED,
          how == null ? "internal" : how.label());
    }
  }

  /** How operators find it in the log: its id, and what the client calls itself. */
  synchronized String name() {
    return client.isEmpty()
        ? "stream " + stream
        : "stream " + stream + " (" + CONTROL.matcher(client).replaceAll("?") + ")";
  }
}
