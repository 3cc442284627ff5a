package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.fanout.RouterRegistry;
import java.util.Comparator;
import java.util.List;

/** Page of the feeds: each selection and projection in use, with the number of its streams. */
public final class FeedsPage {
  private final RouterRegistry routers;

  public FeedsPage(RouterRegistry routers) {
    this.routers = routers;
  }

  /** Returns the page with its path and its parameters. */
  public DebugPage page() {
    return new DebugPage(
        "/debug/feeds",
        DebugPage.Access.GUARDED,
        DebugPage.Parameter.texts("type", "limit"),
        "The selections in use, those with the most streams first.",
        this::content);
  }

  private JsonObject content(PageQuery query) throws PageException {
    int limit = query.number("limit", StreamsPage.DEFAULT_ROWS, 1, StreamsPage.MAX_ROWS);
    String type = query.text("type");
    List<RouterRegistry.FeedState> feeds =
        routers.feedStates().stream()
            .filter(feed -> type.isEmpty() || feed.selection().type().groupResource().equals(type))
            .sorted(Comparator.comparingInt(RouterRegistry.FeedState::streams).reversed())
            .toList();
    JsonArray rows = new JsonArray();
    for (RouterRegistry.FeedState feed : feeds.subList(0, Math.min(limit, feeds.size()))) {
      JsonObject row = new JsonObject();
      StreamsPage.addSelection(row, feed.selection());
      row.addProperty("view", feed.projection());
      row.addProperty("streams", feed.streams());
      rows.add(row);
    }
    JsonObject content = new JsonObject();
    content.addProperty("total", feeds.size());
    content.addProperty("shown", rows.size());
    content.add("feeds", rows);
    return content;
  }
}
