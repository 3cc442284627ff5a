package io.watchgate.cache;

import io.watchgate.json.ListReader;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * List-watch of one resource type, as the {@link Reflector} uses it. Every call blocks its thread
 * until it has ended, and reports to its sink on that same thread. {@link #close} may be called
 * from any thread and ends a running call, which then reports {@link UpstreamFailure.Transport}.
 *
 * <p>Implementations classify failures and do nothing else about them: no retry, no backoff. Those
 * are the reflector's task.
 */
public interface Upstream extends AutoCloseable {

  /**
   * Lists all objects consistently, in their most recent state, page by page, every page of one
   * resourceVersion. The caller has to discard the objects unless the outcome is {@link Listed}.
   */
  ListOutcome list(ItemSink sink);

  /**
   * Lists all objects as of exactly {@code resourceVersion}; {@link UpstreamFailure.Expired} if the
   * apiserver does not know that version any more. May run concurrently with another call, on
   * another thread.
   */
  ListOutcome listAt(String resourceVersion, Content content, ItemSink sink);

  /**
   * Makes a streaming list and the watch that follows it on the same stream ({@code
   * sendInitialEvents}). Reports initial objects as ADDED, then a bookmark with {@code
   * initialEventsEnd}, then changes.
   *
   * @param markerTimeout timeout for the end of the initial objects; after it the outcome is {@link
   *     UpstreamFailure.Unsupported}
   */
  WatchOutcome watchList(Duration markerTimeout, WatchSink sink);

  /**
   * Watches the changes after {@code resourceVersion}, with bookmarks, until either side ends the
   * stream.
   */
  WatchOutcome watch(String resourceVersion, WatchSink sink);

  /**
   * Like {@link #watch}, but for {@code duration} only. An apiserver that sends bookmarks for the
   * type sends one before the end, if the watch lasts three seconds or longer. May run concurrently
   * with another call, on another thread.
   *
   * @param duration whole seconds
   */
  WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink);

  /**
   * Ends the running {@link #watch}, or the changes after a streaming list, as if the apiserver had
   * ended it; from any thread. Does nothing if there is none, or during a list.
   */
  void interrupt();

  /**
   * Lists one object consistently. The result is the current version of the type, and proves that a
   * state of that version is complete. May run concurrently with another call, on another thread.
   */
  ListOutcome probe();

  /**
   * Lists the present metadata of all objects consistently; more of each object may be included.
   * May run concurrently with another call, on another thread.
   */
  default ListOutcome listMetadata(ItemSink sink) {
    return list(sink);
  }

  /**
   * Makes later calls use new connections, which may lead to another apiserver. A running call
   * keeps its connection. From any thread.
   */
  default void reconnect() {}

  @Override
  void close();

  /** Requested content of the objects of a list. */
  enum Content {
    OBJECTS,
    /** Identity and version of each object; more may be included. */
    METADATA
  }

  /** Sink of the objects of a list, complete with kind and apiVersion. */
  interface ItemSink extends ListReader.Items {
    @Override
    default void unreadable(byte[] beginning, String problem) {}
  }

  /**
   * Result of a report to a {@link WatchSink}: {@link #CONTINUE}, or the {@link Stop} that ends the
   * call.
   */
  sealed interface SinkResult {
    SinkResult CONTINUE = new Continue();
  }

  /** The sink takes more. */
  record Continue() implements SinkResult {}

  /** Reason of a sink to end the call, which is then in its outcome. Each sink has its own. */
  non-sealed interface Stop extends SinkResult {}

  /** Sink of the events of a watch. An exception of the sink ends the call, which rethrows it. */
  interface WatchSink {
    /**
     * Reports that the apiserver has accepted a watch of changes. The first message may still say
     * that the version has expired. Not called for the changes after a streaming list.
     */
    default SinkResult opened() {
      return SinkResult.CONTINUE;
    }

    /**
     * Reports a change. The object is in {@code buffer[from, to)}, which is reused after the
     * return.
     */
    SinkResult event(EventType type, byte[] buffer, int from, int to);

    /**
     * Reports a change whose object is incomplete. Its first bytes are in {@code buffer[from, to)},
     * which is reused after the return.
     *
     * @param problem description without object content
     */
    default SinkResult unreadable(EventType type, byte[] buffer, int from, int to, String problem) {
      return event(type, buffer, from, to);
    }

    /**
     * Reports that something other than a change was ignored: an event of an unknown type, a
     * bookmark that cannot be read.
     *
     * @param problem description without object content
     */
    default void reportIgnored(String problem) {}

    /** Reports that everything up to {@code resourceVersion} was sent. */
    SinkResult bookmark(String resourceVersion, BookmarkKind kind);
  }

  /** Kind of a change of an object. */
  enum EventType {
    ADDED,
    MODIFIED,
    DELETED
  }

  /** Annotation of the bookmark that ends the list of a streaming list. */
  String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

  /** Kind of a bookmark, by the annotation {@link Upstream#INITIAL_EVENTS_END}. */
  enum BookmarkKind {
    PROGRESS,
    INITIAL_EVENTS_END
  }

  /** Outcome of a list. */
  sealed interface ListOutcome permits Listed, ListFailed {}

  /** The list is complete, and has this version. */
  record Listed(String resourceVersion) implements ListOutcome {}

  record ListFailed(UpstreamFailure failure) implements ListOutcome {}

  /** Kind of an end of a watch that is no failure. */
  enum End {
    /** At the requested time, or interrupted by the gateway: the connection worked until then. */
    ON_TIME("clean"),
    /** Before the requested time: an apiserver that shuts down, or that ends a slow watch. */
    EARLY("early"),
    /** Ended by the gateway after a silence in which bookmarks should have arrived. */
    SILENT("silent");

    private final String reason;

    End(String reason) {
      this.reason = reason;
    }

    /** Returns a label for metrics. */
    public String reason() {
      return reason;
    }
  }

  /**
   * Outcome of a watch.
   *
   * @param failure null for an end without failure
   * @param end kind of the end without failure
   * @param stop result of the sink that ended the watch; null if the sink did not end it
   */
  record WatchOutcome(@Nullable UpstreamFailure failure, End end, @Nullable Stop stop) {
    public WatchOutcome(@Nullable UpstreamFailure failure, End end) {
      this(failure, end, null);
    }

    /** Returns the outcome of a watch that its sink ended. */
    public static WatchOutcome stopped(Stop stop) {
      return new WatchOutcome(null, End.EARLY, stop);
    }

    /**
     * @param failure null for an end at the requested time
     */
    public WatchOutcome(@Nullable UpstreamFailure failure) {
      this(failure, failure == null ? End.ON_TIME : End.EARLY);
    }
  }
}
