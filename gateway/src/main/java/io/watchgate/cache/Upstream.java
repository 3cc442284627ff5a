package io.watchgate.cache;

import io.watchgate.json.ListReader;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The list-watch of one resource type, as the {@link Reflector} uses it. Every call blocks its
 * thread until it is over and reports to its sink on that same thread. {@link #close} may be called
 * from any thread and ends a call that is under way, which then reports {@link
 * UpstreamFailure.Transport}.
 *
 * <p>Implementations classify failures and do nothing else about them: no retry, no backoff. That
 * is the reflector's.
 */
public interface Upstream extends AutoCloseable {

  /**
   * Lists all objects consistently, in their most recent state, page after page, every page of one
   * resourceVersion. What the sink got is to be thrown away unless the outcome is {@link Listed}.
   */
  ListOutcome list(ItemSink sink);

  /**
   * Lists all objects as they were at exactly {@code resourceVersion}; {@link
   * UpstreamFailure.Expired} if the apiserver does not know that any more. Also beside another call
   * that is under way, on another thread.
   */
  ListOutcome listAt(String resourceVersion, Content content, ItemSink sink);

  /**
   * A streaming list and the watch that follows it on the same stream ({@code sendInitialEvents}).
   * Reports initial objects as ADDED, then a bookmark with {@code initialEventsEnd}, then changes.
   *
   * @param markerTimeout how long the end of the initial objects may take to arrive; beyond it the
   *     outcome is {@link UpstreamFailure.Unsupported}
   */
  WatchOutcome watchList(Duration markerTimeout, WatchSink sink);

  /**
   * The changes after {@code resourceVersion}, with bookmarks, until either side ends the stream.
   */
  WatchOutcome watch(String resourceVersion, WatchSink sink);

  /**
   * The same for so long only. An apiserver that sends bookmarks for the type sends one before the
   * end of it, if it lasts three seconds or longer. Also beside another call that is under way, on
   * another thread.
   *
   * @param duration whole seconds
   */
  WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink);

  /**
   * Ends the {@link #watch} that is under way, or the changes after a streaming list, as if the
   * apiserver had; from any thread. Nothing happens while there is none, nor to a list.
   */
  void cut();

  /**
   * A consistent list of one object: the current version of the type, proving that what is known up
   * to there is all there is. Also beside another call that is under way, on another thread.
   */
  ListOutcome probe();

  /**
   * A consistent list of the present metadata of all objects; more of each may come. Also beside
   * another call that is under way, on another thread.
   */
  default ListOutcome listMetadata(ItemSink sink) {
    return list(sink);
  }

  /**
   * Calls that begin from now on use new connections, which may lead to another apiserver. A call
   * that is under way keeps its own. From any thread.
   */
  default void reconnect() {}

  @Override
  void close();

  /** Wanted content of the objects of a list. */
  enum Content {
    OBJECTS,
    /** Identity and version of each; more may come. */
    METADATA
  }

  /** Takes the objects of a list, complete with kind and apiVersion. */
  interface ItemSink extends ListReader.Items {
    @Override
    default void unreadable(byte[] beginning, String problem) {}
  }

  /** Takes the events of a watch. What a sink throws ends the call and comes out of it. */
  interface WatchSink {
    /**
     * The apiserver has taken up a watch of changes. It may still say, as its first word, that the
     * version has expired. Not reported for the changes after a streaming list.
     */
    default void opened() {}

    /**
     * A change. The object stands in {@code buffer[from, to)}, which is reused once this returns.
     */
    void event(EventType type, byte[] buffer, int from, int to);

    /**
     * A change whose object cannot be handed over whole. Its first bytes stand in {@code
     * buffer[from, to)}, which is reused once this returns.
     *
     * @param problem in words, without content
     */
    default void unreadable(EventType type, byte[] buffer, int from, int to, String problem) {
      event(type, buffer, from, to);
    }

    /**
     * Something else than a change was passed over: an event of an unknown type, a bookmark that
     * cannot be read.
     *
     * @param problem in words, without content
     */
    default void passedOver(String problem) {}

    /** Everything up to {@code resourceVersion} was sent. */
    void bookmark(String resourceVersion, BookmarkKind kind);
  }

  /** Kind of a change of an object. */
  enum EventType {
    ADDED,
    MODIFIED,
    DELETED
  }

  /** Kind of a bookmark; one carries the annotation {@code k8s.io/initial-events-end}. */
  enum BookmarkKind {
    PROGRESS,
    INITIAL_EVENTS_END
  }

  /** Outcome of a list. */
  sealed interface ListOutcome permits Listed, ListFailed {}

  /** The list is complete, and of this version. */
  record Listed(String resourceVersion) implements ListOutcome {}

  record ListFailed(UpstreamFailure failure) implements ListOutcome {}

  /** Manner of an end of a watch that is no failure. */
  enum End {
    /** At the time that was asked for, or cut from here: the connection lived until then. */
    DUE("clean"),
    /** Before its time: an apiserver that shuts down, or gives up a slow watch. */
    EARLY("early"),
    /** Ended from here after a silence in which bookmarks should have come. */
    SILENT("silent");

    private final String reason;

    End(String reason) {
      this.reason = reason;
    }

    /** A word for metrics. */
    String reason() {
      return reason;
    }
  }

  /**
   * Outcome of a watch.
   *
   * @param failure null for an end that is none
   * @param end the manner of an end without failure
   */
  record WatchOutcome(@Nullable UpstreamFailure failure, End end) {
    /**
     * @param failure null for an end at its time
     */
    public WatchOutcome(@Nullable UpstreamFailure failure) {
      this(failure, failure == null ? End.DUE : End.EARLY);
    }
  }
}
