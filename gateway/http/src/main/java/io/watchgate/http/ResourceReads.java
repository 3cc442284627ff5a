package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.StartPoint;
import io.watchgate.fanout.StreamOptions;
import io.watchgate.fanout.StreamOptions.StalenessScope;
import io.watchgate.fanout.Subscription;
import io.watchgate.fanout.UserResources;
import io.watchgate.http.ListOptions.InitialEvents;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.select.SelectableFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Answers of get, list and watch from a cache. Thread-safe; may block. */
final class ResourceReads {
  /** Longest duration that 64 bits of nanoseconds can hold. */
  private static final Duration MAX_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

  private final HttpWatches watches;
  private final WatchFanout fanout;
  private final TimeSource time;
  private final HttpSettings settings;

  ResourceReads(HttpWatches watches, WatchFanout fanout, TimeSource time, HttpSettings settings) {
    this.watches = watches;
    this.fanout = fanout;
    this.time = time;
    this.settings = settings;
  }

  /**
   * Read of one resource.
   *
   * @param wanted format of the response
   * @param projection all of an object, or all but managedFields
   */
  record Read(
      ServedResource resource, ApiPath path, ResponseFormat wanted, ObjectProjection projection) {}

  /** Function that is called before an answer is sent. */
  interface AnswerStart {
    /**
     * Waits for room for the answer.
     *
     * @param bytes heap in bytes that it takes while it is sent
     */
    AnswerAdmission.Ticket begin(long bytes) throws ReadLimitException, InterruptedException;
  }

  ObjectEncoders encoders(ServedResource resource) {
    return new ObjectEncoders(resource, time);
  }

  /**
   * Answers a get.
   *
   * @throws StatusException before anything was sent
   */
  void get(Read read, WatchCache cache, ApiExchange exchange, AnswerStart start)
      throws StatusException, ReadLimitException, IOException, InterruptedException {
    ObjectEncoder form = encoders(read.resource()).ofObject(read.wanted());
    RequestedVersion version =
        RequestedVersion.ofGetOrWatch(exchange.query().text("resourceVersion"));
    Revision head = new HttpVersionWait(cache, fanout.settings()).awaitHead(version);
    KubeObject object = head.state().get(key(read.path()));
    if (object == null) {
      throw StatusErrors.noSuchObject(ResourceIndex.type(read.resource()), read.path().name());
    }
    AnswerAdmission.Ticket ticket = start.begin(ResponseBody.heapBytes(object.bytes().length));
    ByteBuilder out = new ByteBuilder(object.bytes().length + 1);
    form.object(read.projection().body(object).toByteArray(), out);
    exchange.beginJson(200);
    ResponseBody body = new ResponseBody(exchange, ticket::mayContinue);
    body.write(out.append('\n'));
    body.finish();
    exchange.callback().succeeded();
  }

  private static byte[] key(ApiPath path) {
    String key = path.namespace().isEmpty() ? path.name() : path.namespace() + "/" + path.name();
    return key.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Answers a list.
   *
   * @throws StatusException before anything was sent
   */
  void list(
      Read read, ListOptions options, WatchCache cache, ApiExchange exchange, AnswerStart start)
      throws StatusException, ReadLimitException, IOException, InterruptedException {
    ObjectFilter filter = filter(read, options).readWith(cache.definition());
    ObjectEncoder form = encoders(read.resource()).ofList(read.wanted());
    new ListHandler(cache, filter, options, read.projection(), fanout.settings())
        .list(form, exchange, start);
    exchange.callback().succeeded();
  }

  /**
   * Opens a watch.
   *
   * @param type closed when the watch is over, or at the end of this call if it throws
   * @return the watch; empty if the request is answered
   * @throws StatusException for requests that are refused before a stream begins
   * @throws ReadLimitException if too many watches or feeds are open
   */
  Optional<HttpWatch> watch(
      Read read,
      ListOptions options,
      UserResources user,
      TypeLease type,
      ApiExchange exchange,
      HttpWatchListener listener)
      throws StatusException, ReadLimitException, InterruptedException {
    boolean handedOver = false;
    try {
      ObjectFilter filter = filter(read, options);
      RequestedVersion version = RequestedVersion.ofGetOrWatch(options.start().resourceVersion());
      Duration timeout = timeout(options);
      if (timeout.isNegative()
          || read.wanted().kind() == ResponseFormat.Kind.PARTIAL_OBJECT_METADATA_LIST) {
        // No event is sent: the time is over, or no event can be encoded as a list of metadata.
        exchange.emptyStream();
        return Optional.empty();
      }
      StartPoint start = start(options, version, type.cache());
      ObjectEncoders encoders = encoders(read.resource());
      Subscription.Request request =
          new Subscription.Request(
              filter.selection(),
              new WatchEventFormat(encoders, read.wanted(), read.projection(), options.bookmarks()),
              settings(start, version),
              start,
              null);
      if (!watches.tryAcquire()) {
        throw new ReadLimitException();
      }
      handedOver = true; // closes the type also if it throws
      return Optional.of(
          open(
              new HttpWatches.Opening(
                  request, user, encoders.columns(read.wanted()), timeout, listener),
              type,
              exchange));
    } finally {
      if (!handedOver) {
        type.close();
        listener.ended(ErrorReason.ERROR_REASON_UNSPECIFIED, ProxyAudit.Side.INTERNAL, 0);
      }
    }
  }

  private HttpWatch open(HttpWatches.Opening opening, TypeLease type, ApiExchange exchange)
      throws ReadLimitException {
    try {
      return watches.open(opening, type, exchange);
    } catch (ApiException e) {
      watches.release();
      opening.listener().ended(e.error().reason(), ProxyAudit.Side.INTERNAL, 0);
      throw new ReadLimitException();
    }
  }

  private StartPoint start(ListOptions options, RequestedVersion version, WatchCache cache)
      throws StatusException, InterruptedException {
    if (options.start().initialEvents() == InitialEvents.WANTED) {
      return new StartPoint.Snapshot();
    }
    if (version instanceof RequestedVersion.At at) {
      return new StartPoint.After(at.version());
    }
    var _ = new HttpVersionWait(cache, fanout.settings()).awaitHead(version);
    return new StartPoint.Now();
  }

  private StreamOptions settings(StartPoint start, RequestedVersion version) {
    boolean snapshot = start instanceof StartPoint.Snapshot;
    return new StreamOptions(
        LagPolicy.LAG_POLICY_DISCONNECT,
        ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL,
        /* maxBatchDelay= */ Duration.ZERO,
        settings.bookmarkInterval(),
        /* maxResponseBytes= */ Integer.MAX_VALUE,
        snapshot && version instanceof RequestedVersion.Unset ? Duration.ZERO : null,
        minimumVersion(snapshot, version),
        StalenessScope.START);
  }

  private static @Nullable ResourceVersion minimumVersion(
      boolean snapshot, RequestedVersion version) {
    return snapshot && version instanceof RequestedVersion.At at ? at.version() : null;
  }

  /**
   * Returns the requested timeout. Without one it is random, as at the apiserver, so that watches
   * do not all end at once.
   */
  private Duration timeout(ListOptions options) {
    long seconds = options.timeoutSeconds();
    if (seconds == 0) {
      long least = settings.watchTimeout().toNanos();
      return Duration.ofNanos(ThreadLocalRandom.current().nextLong(least, 2 * least));
    }
    // Above it an apiserver's arithmetic overflows, and the watch ends at once.
    return seconds < 0 || seconds > MAX_TIMEOUT.toSeconds()
        ? Duration.ofSeconds(-1)
        : Duration.ofSeconds(seconds);
  }

  private static ObjectFilter filter(Read read, ListOptions options) throws StatusException {
    return ObjectFilter.of(SelectableFields.of(read.resource().definition()), read.path(), options);
  }
}
