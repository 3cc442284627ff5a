package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.EventEncoder;
import io.watchgate.encode.Position;
import io.watchgate.encode.WireFormat;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.select.CompiledSelection;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Selection and format of the streams that receive equal bytes, with what these streams share: who
 * follows the frames, and the last snapshot, net effect and bookmark. The frames themselves are in
 * the list that the router appends to ({@link FrameLog}). Thread-safe.
 */
final class Feed {
  private static final LoopFollowers[] NONE = {};
  private static final WeakReference<SharedSnapshot> NO_SNAPSHOT = new WeakReference<>(null);
  private static final WeakReference<SharedNetEffect> NO_NET_EFFECT = new WeakReference<>(null);

  private final CompiledSelection selection;
  private final WireFormat format;

  /** One entry for each event loop with followers. */
  private volatile LoopFollowers[] loopFollowers = NONE;

  private WeakReference<SharedSnapshot> snapshot = NO_SNAPSHOT;
  private WeakReference<SharedNetEffect> netEffect = NO_NET_EFFECT;
  private volatile @Nullable SharedBookmark bookmark;

  /** Number of streams that use this feed; guarded by {@link FeedRegistry}. */
  int streamCount;

  /** Last encoded bookmark. */
  private record SharedBookmark(
      @Nullable Position position, Bookmark content, ByteSlices response) {}

  Feed(CompiledSelection selection, WireFormat format) {
    this.selection = selection;
    this.format = format;
  }

  CompiledSelection selection() {
    return selection;
  }

  WireFormat format() {
    return format;
  }

  EventEncoder encoder() {
    return format.events();
  }

  // ---- followers to notify of new frames

  LoopFollowers[] loopFollowers() {
    return loopFollowers;
  }

  /**
   * Returns the followers on an event loop, or null. A linear search: there are at most as many
   * event loops as processors.
   */
  @Nullable LoopFollowers followersOn(LoopDeliveries loop) {
    for (LoopFollowers followers : loopFollowers) {
      if (followers.deliveries() == loop) {
        return followers;
      }
    }
    return null;
  }

  synchronized void add(LoopFollowers followers) {
    LoopFollowers[] more = Arrays.copyOf(loopFollowers, loopFollowers.length + 1);
    more[loopFollowers.length] = followers;
    loopFollowers = more;
  }

  synchronized void remove(LoopFollowers followers) {
    loopFollowers =
        Arrays.stream(loopFollowers)
            .filter(other -> other != followers)
            .toArray(LoopFollowers[]::new);
  }

  // ---- shared encoded responses

  /**
   * Returns an encoded bookmark at a position. Streams that are due in the same tick of an event
   * loop get the same bytes; two event loops may encode it twice.
   */
  ByteSlices bookmark(@Nullable Position position, Bookmark content) {
    SharedBookmark last = bookmark;
    if (last == null || !last.content.equals(content) || !Objects.equals(last.position, position)) {
      last =
          new SharedBookmark(
              position,
              content,
              format.signal(
                  position, ListAndWatchResponse.newBuilder().setBookmark(content).build()));
      bookmark = last;
    }
    return last.response;
  }

  /**
   * Returns a snapshot that a stream can join, or null.
   *
   * @param oldest minimum revision of the snapshot; null for any
   */
  synchronized @Nullable SharedSnapshot joinableSnapshot(@Nullable Revision oldest, long nanoTime) {
    SharedSnapshot last = snapshot.get();
    return last != null && last.isJoinable(oldest, nanoTime) ? last : null;
  }

  /** Returns a snapshot that a stream can join, or a new one of the objects that were found. */
  synchronized SharedSnapshot getOrCreateSnapshot(
      ScanBatcher.Found found, @Nullable Revision oldest, long nanoTime) {
    SharedSnapshot last = joinableSnapshot(oldest, nanoTime);
    if (last == null) {
      last = new SharedSnapshot(this, found, FanoutSettings.MAX_CHUNK_BYTES, nanoTime);
      snapshot = new WeakReference<>(last);
    }
    return last;
  }

  /** Returns a net effect between these revisions that a stream can join, or a new one. */
  synchronized SharedNetEffect getOrCreateNetEffect(
      Revision from, Revision target, NetEffectReason reason) {
    SharedNetEffect last = netEffect.get();
    if (last == null
        || last.start() == null
        || !last.from().equals(from)
        || !last.target().equals(target)) {
      last = new SharedNetEffect(this, from, target, reason, FanoutSettings.MAX_CHUNK_BYTES);
      netEffect = new WeakReference<>(last);
    }
    return last;
  }
}
