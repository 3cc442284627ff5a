package io.watchgate.fanout;

import io.watchgate.encode.WireFormat;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import io.watchgate.select.CompiledSelection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Registry of the feeds of one type in use: one for each selection and format. Thread-safe. */
final class FeedRegistry {
  private final Map<Key, Feed> feeds = new HashMap<>();
  private final AtomicInteger total;
  private final int limit;

  private record Key(CompiledSelection selection, WireFormat format) {}

  /**
   * @param total number of feeds of all types
   * @param limit maximum of {@code total}
   */
  FeedRegistry(AtomicInteger total, int limit) {
    this.total = total;
    this.limit = limit;
  }

  /**
   * Returns the feed. The caller must return it with {@link #close}.
   *
   * @throws ApiException QUOTA if there would be more than {@code limit} feeds
   */
  synchronized Feed open(CompiledSelection selection, WireFormat format) throws ApiException {
    Key key = new Key(selection, format);
    Feed feed = feeds.get(key);
    if (feed == null) {
      if (total.incrementAndGet() > limit) {
        total.decrementAndGet();
        throw new ApiException(LimitErrors.feeds(limit));
      }
      feed = new Feed(selection, format);
      feeds.put(key, feed);
    }
    feed.streamCount++;
    return feed;
  }

  synchronized int size() {
    return feeds.size();
  }

  synchronized List<RouterRegistry.FeedState> states() {
    return feeds.values().stream()
        .map(
            feed ->
                new RouterRegistry.FeedState(
                    feed.selection(), feed.format().projection().name(), feed.streamCount))
        .toList();
  }

  synchronized void close(Feed feed) {
    if (--feed.streamCount == 0) {
      feeds.remove(new Key(feed.selection(), feed.format()));
      total.decrementAndGet();
    }
  }
}
