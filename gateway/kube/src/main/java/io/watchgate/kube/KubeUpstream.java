package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** List-watch of one type at an apiserver, by the timeouts and sizes of {@link KubeSettings}. */
final class KubeUpstream implements Upstream {
  private final ApiserverAccess server;
  private final UpstreamHttpClient client;
  private final ApiResource type;
  private final RandomGenerator random;
  private final KubeSettings settings;

  /**
   * Number of successive lists with expired page tokens after which a list is requested without
   * pages.
   */
  private static final int EXPIRED_LISTS = 2;

  private final AtomicInteger expiredLists = new AtomicInteger();

  /**
   * True if bookmarks are sent for this type: the apiserver's watch cache sends them, about one a
   * minute; without it, and for events, none are sent.
   */
  private volatile boolean bookmarks;

  /** The current watch, which {@link #interrupt} ends. */
  private volatile @Nullable WatchResponseReader currentWatch;

  KubeUpstream(
      ApiserverAccess server, UpstreamHttpClient client, ApiResource type, RandomGenerator random) {
    this.server = server;
    this.client = client;
    this.type = type;
    this.random = random;
    this.settings = server.settings();
  }

  /** Returns the URL of all namespaces: a path is never built from a namespace. */
  private HttpUrl.Builder collection() {
    return server
        .url((type.group().isEmpty() ? "api/" : "apis/") + type.apiVersion())
        .addPathSegment(type.resource());
  }

  @Override
  public ListOutcome list(ItemSink sink) {
    return pages("list " + type.groupResource(), "", ApiRequest.JSON, sink);
  }

  @Override
  public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
    String description = "list " + type.groupResource() + " at version " + resourceVersion;
    return switch (content) {
      case OBJECTS -> pages(description, resourceVersion, ApiRequest.JSON, sink);
      case METADATA -> pages(description, resourceVersion, ApiRequest.METADATA, sink);
    };
  }

  private ListOutcome pages(String description, String exactly, String accept, ItemSink sink) {
    ListPageReader list = new ListPageReader(description, type, settings, sink);
    String token = "";
    try {
      do {
        HttpUrl.Builder url = collection();
        if (expiredLists.get() < EXPIRED_LISTS) {
          url.addQueryParameter("limit", Integer.toString(settings.sizes().pageSize()));
        }
        if (!token.isEmpty()) {
          url.addQueryParameter("continue", token); // and no version: the token has it
        } else if (!exactly.isEmpty()) {
          url.addQueryParameter("resourceVersion", exactly)
              .addQueryParameter("resourceVersionMatch", "Exact");
        }
        token =
            client.get(document(url, description, accept, settings.timeouts().page()), list::page);
      } while (!token.isEmpty());
    } catch (KubeException e) {
      if (!token.isEmpty() && e.failure() instanceof UpstreamFailure.Expired) {
        expiredLists.incrementAndGet();
      }
      return new ListFailed(e.failure());
    }
    expiredLists.set(0);
    return new Listed(list.resourceVersion());
  }

  @Override
  public ListOutcome probe() {
    ListPageReader list =
        new ListPageReader("probe " + type.groupResource(), type, settings, item -> {});
    HttpUrl.Builder url = collection().addQueryParameter("limit", "1");
    try {
      var _ =
          client.get(
              document(url, list.description(), ApiRequest.METADATA, settings.timeouts().request()),
              list::page);
    } catch (KubeException e) {
      return new ListFailed(e.failure());
    }
    // Malformed, and not Listed with an empty version: one odd answer must not mean that the type
    // has no versions.
    return list.resourceVersion().isEmpty()
        ? new ListFailed(
            new UpstreamFailure.Malformed(list.description() + ": without a resourceVersion"))
        : new Listed(list.resourceVersion());
  }

  @Override
  public ListOutcome listMetadata(ItemSink sink) {
    return pages("list metadata of " + type.groupResource(), "", ApiRequest.METADATA, sink);
  }

  @Override
  public void reconnect() {
    client.renew();
  }

  private ApiRequest document(
      HttpUrl.Builder url, String description, String accept, Duration total) {
    return new ApiRequest(
        url.build(),
        description,
        accept,
        ApiRequest.Encoding.ANY,
        settings.timeouts().request(),
        total);
  }

  @Override
  public WatchOutcome watch(String resourceVersion, WatchSink sink) {
    if (resourceVersion.isEmpty() || resourceVersion.equals("0")) {
      throw new IllegalArgumentException("a watch from no version would begin with a list");
    }
    String description = "watch " + type.groupResource();
    long seconds = seconds();
    return follow(
        WatchResponseReader.changes(description, limits(seconds), bookmarks, sink),
        watchRequest(watchUrlFrom(resourceVersion, seconds), description));
  }

  @Override
  public WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink) {
    String description = "brief watch " + type.groupResource();
    long seconds = duration.toSeconds();
    return read(
        WatchResponseReader.changes(description, limits(seconds), false, sink),
        watchRequest(watchUrlFrom(resourceVersion, seconds), description));
  }

  private HttpUrl.Builder watchUrlFrom(String resourceVersion, long seconds) {
    return watchUrl(seconds).addQueryParameter("resourceVersion", resourceVersion);
  }

  private WatchOutcome follow(WatchResponseReader stream, ApiRequest request) {
    currentWatch = stream;
    try {
      WatchOutcome outcome = read(stream, request);
      if (outcome.stop() == null) {
        bookmarks = outcome.end() != End.SILENT && stream.hasBookmarks();
      }
      return outcome;
    } finally {
      currentWatch = null;
    }
  }

  private WatchOutcome read(WatchResponseReader stream, ApiRequest request) {
    try {
      return client.get(request, stream::read);
    } catch (KubeException e) {
      return stream.outcome(e.failure());
    }
  }

  @Override
  public void interrupt() {
    WatchResponseReader stream = currentWatch;
    if (stream != null) {
      stream.cut();
    }
  }

  @Override
  public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
    String description = "streaming list " + type.groupResource();
    long seconds = seconds();
    HttpUrl.Builder url =
        watchUrl(seconds)
            .addQueryParameter("sendInitialEvents", "true")
            .addQueryParameter("resourceVersionMatch", "NotOlderThan");
    return follow(
        WatchResponseReader.list(description, limits(seconds), bookmarks, markerTimeout, sink),
        watchRequest(url, description));
  }

  private long seconds() {
    long least = settings.watches().duration().toSeconds();
    return random.nextLong(least, 2 * least + 1);
  }

  private WatchResponseReader.Limits limits(long seconds) {
    return new WatchResponseReader.Limits(
        Duration.ofSeconds(seconds),
        settings.watches().slack(),
        settings.watches().idleTimeout(),
        settings.sizes().maxObjectBytes());
  }

  private HttpUrl.Builder watchUrl(long seconds) {
    return collection()
        .addQueryParameter("watch", "1")
        .addQueryParameter("allowWatchBookmarks", "true")
        .addQueryParameter("timeoutSeconds", Long.toString(seconds));
  }

  private ApiRequest watchRequest(HttpUrl.Builder url, String description) {
    return new ApiRequest(
        url.build(),
        description,
        ApiRequest.JSON,
        ApiRequest.Encoding.IDENTITY,
        Duration.ZERO,
        Duration.ZERO);
  }

  /** Bytes received from the apiserver that no reader has taken. */
  long unreadBytes() {
    return client.unreadBytes();
  }

  @Override
  public void close() {
    client.close();
  }
}
