package io.watchgate.fanout;

import java.time.Instant;

/**
 * Client of a stream, as its transport knows it. Names and addresses are text from clients.
 *
 * @param id id of the stream, as in the audit log; empty if it has none
 * @param api {@code grpc}, {@code kubernetes}, {@code events} or {@code grpc-web}
 * @param client name that the client gives itself; empty if it gives none
 * @param agent user agent of its library; empty if unknown
 * @param user empty while the caller is unknown
 * @param address without port
 * @param traceparent {@link TraceParent} of the call; empty if it has none
 * @param opened time at which the call arrived
 */
public record StreamIdentity(
    String id,
    String api,
    String client,
    String agent,
    String user,
    String address,
    String traceparent,
    Instant opened) {
  /** Identity of a stream whose transport knows nothing of its client. */
  public static final StreamIdentity UNKNOWN =
      new StreamIdentity("", "", "", "", "", "", "", Instant.EPOCH);

  /** Characters that are kept of a text from a client. */
  static final int MAX_TEXT = 128;

  /** Returns this identity with texts that may be kept by the thousand. */
  public StreamIdentity shortened() {
    return new StreamIdentity(
        id,
        api,
        shortened(client),
        shortened(agent),
        shortened(user),
        address,
        traceparent,
        opened);
  }

  /** Returns the beginning of a text from a client. */
  public static String shortened(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
  }
}
