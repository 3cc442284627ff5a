package io.watchgate.http;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.StateMap;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.http.ObjectEncoder.ListMeta;
import io.watchgate.json.KubeObject;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Handler of a list: finds the requested revision, and sends a page of its state. */
final class ListHandler {
  private static final int PIECE = 32 << 10;

  private final WatchCache cache;
  private final ObjectFilter filter;
  private final ListOptions options;
  private final ObjectProjection projection;
  private final HttpVersionWait wait;

  /**
   * @param projection part of the objects that is sent
   */
  ListHandler(
      WatchCache cache,
      ObjectFilter filter,
      ListOptions options,
      ObjectProjection projection,
      FanoutSettings settings) {
    this.cache = cache;
    this.filter = filter;
    this.options = options;
    this.projection = projection;
    this.wait = new HttpVersionWait(cache, settings);
  }

  /**
   * Revision and range of a page.
   *
   * @param version version that the response names
   * @param limit 0 for none
   */
  private record Page(Revision revision, ResourceVersion version, KeyRange range, long limit) {}

  /** Number of objects and metadata of a page. */
  private record Extent(long objects, ListMeta meta) {}

  /**
   * Sends the list.
   *
   * @throws StatusException before anything was sent
   */
  void list(ObjectEncoder form, ApiExchange exchange, ResourceReads.AnswerStart start)
      throws StatusException, ReadLimitException, IOException, InterruptedException {
    Page page = page();
    Extent extent = extent(page);
    AnswerAdmission.Ticket ticket = start.begin(heapBytes(page.revision.state()));
    exchange.beginJson(200);
    ResponseBody body =
        new ResponseBody(exchange, () -> cache.canPin(page.revision) && ticket.mayContinue());
    ByteBuilder out = new ByteBuilder(PIECE);
    form.listHead(extent.meta, out);
    StateCursor cursor = page.revision.state().cursor(page.range);
    long left = extent.objects;
    for (KubeObject object = cursor.peek(); object != null && left != 0; object = cursor.peek()) {
      if (filter.matches(object)) {
        if (left != extent.objects) {
          out.append(',');
        }
        form.listItem(bytes(object), out);
        left--;
      }
      cursor.advance();
      if (out.size() >= PIECE) {
        body.write(out);
      }
    }
    form.listTail(extent.meta, out);
    body.write(out);
    body.finish();
  }

  /** Returns the heap of a list while it is sent: that of a piece, and of an object beside it. */
  private static long heapBytes(StateMap state) {
    return ResponseBody.heapBytes(PIECE + state.objectBytes() / Math.max(1, state.size()));
  }

  private byte[] bytes(KubeObject object) {
    return projection.equals(ObjectProjection.FULL)
        ? object.bytes()
        : projection.body(object).toByteArray();
  }

  private Page page() throws StatusException, InterruptedException {
    RequestedVersion version = RequestedVersion.ofList(options.start().resourceVersion());
    long limit = Math.max(0, options.page().limit());
    if (!options.page().continueToken().isEmpty()) {
      return nextPage(version, limit);
    }
    boolean exact =
        options.start().match().equals("Exact") || (options.start().match().isEmpty() && limit > 0);
    if (exact && version instanceof RequestedVersion.At at) {
      Revision revision = revisionAt(at.version());
      if (revision == null) {
        throw StatusErrors.expired("The resourceVersion for the provided list is too old.");
      }
      return new Page(revision, at.version(), filter.range(), limit);
    }
    Revision head = wait.awaitHead(version);
    // Any revision is allowed, and a list of the complete cache costs least.
    long pageLimit = version == RequestedVersion.Any.ANY && watchCached() ? 0 : limit;
    return new Page(head, wait.versionOf(head, version), filter.range(), pageLimit);
  }

  private Page nextPage(RequestedVersion version, long limit)
      throws StatusException, InterruptedException {
    if (version instanceof RequestedVersion.At) {
      throw StatusErrors.badRequest(
          "specifying resource version is not allowed when using continue");
    }
    ContinueToken token = ContinueToken.parse(options.page().continueToken());
    KeyRange range = filter.range().after(filter.keyOf(token));
    ResourceVersion listed = token.version();
    if (listed == null) {
      RequestedVersion now = RequestedVersion.Unset.UNSET;
      Revision head = wait.awaitHead(now);
      return new Page(head, wait.versionOf(head, now), range, limit);
    }
    Revision revision = revisionAt(listed);
    if (revision == null) {
      throw StatusErrors.pageExpired(new ContinueToken(null, token.lastKey()));
    }
    return new Page(revision, listed, range, limit);
  }

  /** Returns the state at that version, null if it is no longer known. */
  private @Nullable Revision revisionAt(ResourceVersion version)
      throws StatusException, InterruptedException {
    wait.awaitHead(new RequestedVersion.At(version));
    Revision revision = cache.stateAt(version);
    if (revision == null || revision.version().equals(version)) {
      return revision;
    }
    Revision next = revision.next();
    return next != null && next.kind() == Revision.Kind.RELIST ? null : revision;
  }

  private Extent extent(Page page) {
    String version = page.version.digits();
    if (page.limit == 0) {
      return new Extent(-1, new ListMeta(version, "", null));
    }
    StateCursor cursor = page.revision.state().cursor(page.range);
    long objects = 0;
    KubeObject last = null;
    for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
      boolean matches = filter.matches(object);
      // In a list from storage any further object makes the list continue, in a list from the
      // watch cache only a further object that matches. So does an apiserver.
      if (objects == page.limit && (matches || !watchCached())) {
        String token = filter.tokenAfter(Objects.requireNonNull(last), page.version).encode();
        Long remaining = filter.matchesEntireRange() ? count(cursor) : null;
        return new Extent(objects, new ListMeta(version, token, remaining));
      }
      if (matches) {
        last = object;
        objects++;
      }
      cursor.advance();
    }
    return new Extent(objects, new ListMeta(version, "", null));
  }

  private boolean watchCached() {
    return cache.definition().type().isWatchCached();
  }

  private static long count(StateCursor rest) {
    long count = 0;
    for (; rest.peek() != null; rest.advance()) {
      count++;
    }
    return count;
  }
}
