package io.watchgate.kube;

import io.watchgate.cache.ResourceType;
import io.watchgate.cache.Upstream;
import java.time.Duration;
import java.util.random.RandomGenerator;
import okhttp3.HttpUrl;

/** The list-watch of one type at an apiserver. */
final class KubeUpstream implements Upstream {
  private final ApiServer server;
  private final ApiConnection connection;
  private final ResourceType type;
  private final RandomGenerator random;
  private final KubeSettings settings;

  KubeUpstream(
      ApiServer server, ApiConnection connection, ResourceType type, RandomGenerator random) {
    this.server = server;
    this.connection = connection;
    this.type = type;
    this.random = random;
    this.settings = server.settings();
  }

  /** All namespaces: a path is never built from a namespace. */
  private HttpUrl.Builder collection() {
    return server
        .url((type.group().isEmpty() ? "api/" : "apis/") + type.apiVersion())
        .addPathSegment(type.resource());
  }

  @Override
  public ListOutcome list(String notOlderThan, ItemSink sink) {
    PagedList list = new PagedList("list " + type.groupResource(), type, settings, sink);
    String token = "";
    try {
      do {
        HttpUrl.Builder url =
            collection().addQueryParameter("limit", Integer.toString(settings.sizes().page()));
        if (!token.isEmpty()) {
          url.addQueryParameter("continue", token); // and no version: the token has it
        } else if (!notOlderThan.isEmpty()) {
          url.addQueryParameter("resourceVersion", notOlderThan)
              .addQueryParameter("resourceVersionMatch", "NotOlderThan");
        }
        token =
            connection.get(
                document(url, list.what(), ApiRequest.JSON, settings.timeouts().page()),
                list::page);
      } while (!token.isEmpty());
    } catch (KubeException e) {
      return new ListFailed(e.failure());
    }
    return new Listed(list.resourceVersion());
  }

  @Override
  public ListOutcome probe() {
    PagedList list = new PagedList("probe " + type.groupResource(), type, settings, item -> {});
    HttpUrl.Builder url = collection().addQueryParameter("limit", "1");
    try {
      var _ =
          connection.get(
              document(url, list.what(), ApiRequest.METADATA, settings.timeouts().request()),
              list::page);
    } catch (KubeException e) {
      return new ListFailed(e.failure());
    }
    return new Listed(list.resourceVersion());
  }

  private ApiRequest document(HttpUrl.Builder url, String what, String accept, Duration total) {
    return new ApiRequest(
        url.build(), what, accept, ApiRequest.Encoding.ANY, settings.timeouts().request(), total);
  }

  @Override
  public WatchOutcome watch(String resourceVersion, WatchSink sink) {
    if (resourceVersion.isEmpty() || resourceVersion.equals("0")) {
      throw new IllegalArgumentException("a watch from no version would begin with a list");
    }
    String what = "watch " + type.groupResource();
    long seconds = seconds();
    HttpUrl.Builder url = watching(seconds).addQueryParameter("resourceVersion", resourceVersion);
    return WatchStream.changes(what, total(seconds), settings.sizes().object(), sink)
        .follow(connection, stream(url, what));
  }

  @Override
  public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
    String what = "streaming list " + type.groupResource();
    long seconds = seconds();
    HttpUrl.Builder url =
        watching(seconds)
            .addQueryParameter("sendInitialEvents", "true")
            .addQueryParameter("resourceVersionMatch", "NotOlderThan");
    return WatchStream.list(what, total(seconds), settings.sizes().object(), markerTimeout, sink)
        .follow(connection, stream(url, what));
  }

  private long seconds() {
    long least = settings.watches().duration().toSeconds();
    return random.nextLong(least, 2 * least + 1);
  }

  private Duration total(long seconds) {
    return Duration.ofSeconds(seconds).plus(settings.watches().slack());
  }

  private HttpUrl.Builder watching(long seconds) {
    return collection()
        .addQueryParameter("watch", "1")
        .addQueryParameter("allowWatchBookmarks", "true")
        .addQueryParameter("timeoutSeconds", Long.toString(seconds));
  }

  private ApiRequest stream(HttpUrl.Builder url, String what) {
    return new ApiRequest(
        url.build(),
        what,
        ApiRequest.JSON,
        ApiRequest.Encoding.IDENTITY,
        bookmarksComeRegularly() ? settings.watches().silence() : Duration.ZERO,
        Duration.ZERO);
  }

  /**
   * The apiserver's watch cache is where bookmarks come from. On a quiet stream of events only the
   * pings of HTTP/2 tell that it lives.
   */
  private boolean bookmarksComeRegularly() {
    return type.watchCached();
  }

  @Override
  public void close() {
    connection.close();
  }
}
