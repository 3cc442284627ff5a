package io.watchgate.fanout;

import io.watchgate.select.CompiledSelection;
import java.time.Duration;

/**
 * State of an open stream at one moment, for operators.
 *
 * @param projection name of the part of an object that is sent
 * @param version resourceVersion that the stream has reached; empty while there is none
 * @param isBlocked true if the transport could not send all that there was for the client
 * @param sentBytes bytes of all responses
 */
public record StreamState(
    StreamIdentity identity,
    CompiledSelection selection,
    String projection,
    Activity activity,
    String version,
    Lag lag,
    boolean isBlocked,
    long sentBytes) {

  /** Activity of a stream: the phase that it is in. */
  public enum Activity {
    /** Waits for the type, or until the cache has the requested version. */
    STARTING,
    /** Gets the whole state. */
    SNAPSHOT,
    /** Gets what has changed since its position, without the steps in between. */
    NET_EFFECT,
    /** Gets older changes that are encoded once for several streams that join. */
    CATCHING_UP,
    /** Gets older changes that are encoded for it alone. */
    REPLAY,
    /** Gets changes as they come. */
    LIVE,
    /** Has ended. */
    ENDED
  }

  /**
   * Distance between the position of a stream and the newest change of its type.
   *
   * @param events changes of the type, selected or not
   * @param bytes bytes that the stream would keep alive alone
   * @param age time since the first change that was not sent was received
   */
  public record Lag(long events, long bytes, Duration age) {
    public static final Lag NONE = new Lag(0, 0, Duration.ZERO);
  }
}
