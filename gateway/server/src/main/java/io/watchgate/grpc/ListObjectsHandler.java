package io.watchgate.grpc;

import com.google.protobuf.ByteString;
import io.watchgate.admission.ClientAddress;
import io.watchgate.admission.PendingResponseBytes;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.audit.AuditLog;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.StateMap;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.Position;
import io.watchgate.encode.ProtoEventEncoder;
import io.watchgate.encode.ProtoTime;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import io.watchgate.error.UpstreamErrors;
import io.watchgate.fanout.SelectedKeyRanges;
import io.watchgate.fanout.VersionWait;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.select.CompiledSelection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Handler of ListObjects. All pages of a list are of one revision: the token of a page has its
 * version, by which any replica that has the revision continues. Thread-safe; may block.
 */
final class ListObjectsHandler {
  private static final int RESPONSE_OVERHEAD = 1_024;

  private final GatewayContext.Access access;
  private final GatewayContext.Delivery delivery;
  private final RequestResolver resolver;
  private final StreamAdmission admission;

  /**
   * @param delivery whose timeouts hold for a list as for a stream
   */
  ListObjectsHandler(
      GatewayContext.Access access,
      GatewayContext.Delivery delivery,
      RequestResolver resolver,
      StreamAdmission admission) {
    this.access = access;
    this.delivery = delivery;
    this.resolver = resolver;
    this.admission = admission;
  }

  ListObjectsResponse page(
      ListObjectsRequest request, CallOrigin origin, PendingResponseBytes.Share share)
      throws ApiException, InterruptedException {
    Caller caller;
    try {
      caller = access.controller().authenticate(origin.credentials(), origin.address());
    } catch (ApiException e) {
      recordRefusal(null, request, origin, e);
      throw e;
    }
    try {
      ListObjectsResponse response = page(request, caller, share);
      // Each page is audited, since the token of a further page can be made without the first one.
      audit(AuditLog.Event.LISTED, caller, request, origin, ErrorReason.ERROR_REASON_UNSPECIFIED);
      return response;
    } catch (ApiException e) {
      recordRefusal(caller, request, origin, e);
      throw e;
    }
  }

  private void recordRefusal(
      @Nullable Caller caller, ListObjectsRequest request, CallOrigin origin, ApiException e) {
    delivery.metrics().listRefused(e.error().reason());
    audit(AuditLog.Event.DENIED, caller, request, origin, e.error().reason());
  }

  private void audit(
      AuditLog.Event event,
      @Nullable Caller caller,
      ListObjectsRequest request,
      CallOrigin origin,
      ErrorReason reason) {
    access
        .audit()
        .write(
            event,
            new AuditLog.Subject(
                AccessAttributes.Verb.LIST,
                caller,
                origin.credentials().kind(),
                ClientAddress.text(origin.address()),
                origin.port(),
                "",
                "",
                origin.traceparent(),
                request.getSelection()),
            reason);
  }

  private ListObjectsResponse page(
      ListObjectsRequest request, Caller caller, PendingResponseBytes.Share share)
      throws ApiException, InterruptedException {
    checkValues(request);
    ResourceVersion minimum = RequestLimits.minimumVersion(request.getMinimumResourceVersion());
    Duration maxStaleness =
        request.hasMaxStaleness()
            ? DeliveryParser.maxStaleness("max_staleness", request.getMaxStaleness())
            : null;
    ResolvedRequest resolved = resolver.resolve(request.getSelection(), request.getProjection());
    access.controller().requireList(caller, resolved.selection());
    PageToken token = token(request, resolved);
    try (TypeLease type = admission.admit(resolved.definition())) {
      VersionWait wait = new VersionWait(type.cache(), delivery.settings());
      Revision head =
          maxStaleness == null || token != null
              ? wait.awaitHead(minimum)
              : wait.awaitFresh(minimum, maxStaleness);
      Revision revision = token == null ? head : listedRevision(wait, type.cache(), token);
      int most =
          (int)
              Math.min(
                  RequestLimits.responseBytes(request.getMaxResponseBytes()),
                  Math.max(share.maxBytes(), RequestLimits.MIN_RESPONSE_BYTES));
      share.reserve(Math.min(most, RESPONSE_OVERHEAD + 2 * revision.state().objectBytes()));
      ResourceVersion version =
          token == null ? version(type.cache(), revision, minimum) : token.version();
      ListObjectsResponse page =
          page(request, resolved, type.cache(), revision, version, token, most);
      share.charge(page.getSerializedSize());
      delivery.metrics().pageListed(resolved.definition().type());
      return page;
    }
  }

  /**
   * Returns the version of a list of the revision. It is later than the revision's if {@code
   * minimum} is, and the states of both were proven equal.
   *
   * @throws ApiException BEHIND if the state has changed since, to one that is not known to be
   *     later
   */
  private static ResourceVersion version(
      WatchCache cache, Revision revision, @Nullable ResourceVersion minimum) throws ApiException {
    ResourceVersion version = cache.proofs().versionNotBefore(revision, minimum);
    if (version == null) {
      throw new ApiException(
          UpstreamErrors.listBehind(
              String.valueOf(minimum),
              cache.definition().type().groupResource(),
              revision.version().toString()));
    }
    return version;
  }

  static void checkValues(ListObjectsRequest request) throws ApiException {
    UnknownFieldCheck.check(request);
    if (request.getPageSize() < 0) {
      throw new ApiException(RequestErrors.negativePageSize());
    }
  }

  static @Nullable PageToken token(ListObjectsRequest request, ResolvedRequest resolved)
      throws ApiException {
    if (request.getPageToken().isEmpty()) {
      return null;
    }
    PageToken token = PageToken.parse(request.getPageToken().toByteArray());
    if (token == null) {
      throw new ApiException(RequestErrors.pageTokenMalformed());
    }
    byte[] selection = resolved.tokens().selectionHash();
    if (!Arrays.equals(token.identity(), 16, 24, selection, 0, 8)) {
      throw new ApiException(RequestErrors.pageTokenOfOtherSelection());
    }
    if (!Arrays.equals(token.identity(), identity(resolved))) {
      throw new ApiException(RequestErrors.pageExpired());
    }
    return token;
  }

  private static byte[] identity(ResolvedRequest resolved) {
    return ByteBuffer.allocate(24)
        .put(resolved.tokens().historyId().clusterHash())
        .put(resolved.tokens().historyId().typeHash())
        .put(resolved.tokens().selectionHash())
        .array();
  }

  /**
   * Returns the revision that the list began with. Another replica may have answered the first
   * page: this one waits until it has reached that version, as for a stream.
   */
  private static Revision listedRevision(VersionWait wait, WatchCache cache, PageToken token)
      throws ApiException, InterruptedException {
    Revision revision = heldRevision(cache, token);
    if (revision == null
        && !cache.proofs().hasReached(token.version())
        && !cache.hasLostHistoryReached(token.version())) {
      try {
        wait.awaitHead(token.version());
      } catch (ApiException e) {
        if (e.error().reason() != ErrorReason.ERROR_REASON_BEHIND) {
          throw e;
        }
      }
      revision = heldRevision(cache, token);
    }
    if (revision == null) {
      throw new ApiException(RequestErrors.pageExpired());
    }
    return revision;
  }

  private static @Nullable Revision heldRevision(WatchCache cache, PageToken token) {
    Revision revision = cache.revisionAtOrBefore(token.version(), token.digest());
    if (revision == null) {
      // Of a type that does not change, another replica may have listed the same state earlier.
      revision = cache.oldest();
    }
    return revision != null && token.isOf(revision) ? revision : null;
  }

  private static ListObjectsResponse page(
      ListObjectsRequest request,
      ResolvedRequest resolved,
      WatchCache cache,
      Revision revision,
      ResourceVersion version,
      @Nullable PageToken token,
      int maxBytes) {
    CompiledSelection selection = resolved.selection().readWith(cache.definition());
    StateMap state = revision.state();
    int maxObjects =
        request.getPageSize() == 0
            ? RequestLimits.DEFAULT_PAGE
            : Math.min(request.getPageSize(), RequestLimits.MAX_PAGE);
    ProtoEventEncoder encoder = new ProtoEventEncoder(resolved.projection());
    ListObjectsResponse.Builder response = ListObjectsResponse.newBuilder();
    int bytes = RESPONSE_OVERHEAD;
    byte[] last = token == null ? null : token.lastKey();
    long total = token == null ? count(state, selection) : token.total();
    boolean full = false;
    for (KeyRange range : SelectedKeyRanges.of(selection)) {
      StateCursor cursor = state.cursor(last == null ? range : range.after(last));
      for (KubeObject object = cursor.peek(); object != null && !full; object = cursor.peek()) {
        if (selection.matches(object)) {
          WatchEvent event = encodeWithin(encoder, object, maxBytes - RESPONSE_OVERHEAD);
          int size = event.getSerializedSize() + 6;
          if (response.getObjectsCount() == maxObjects
              || (response.getObjectsCount() > 0 && bytes + size > maxBytes)) {
            full = true;
            break;
          }
          response.addObjects(event);
          bytes += size;
          last = object.key();
        }
        cursor.advance();
      }
    }
    Position position = new Position(version, revision.digest());
    if (full && last != null) {
      response.setNextPageToken(
          ByteString.copyFrom(
              new PageToken(identity(resolved), version, revision.digest(), total, last).encode()));
    } else {
      response.setResumeToken(resolved.tokens().encode(position));
    }
    return response
        .setResourceVersion(version.digits())
        .setTotalObjects(total)
        .setStaleness(ProtoTime.of(Duration.ofNanos(cache.proofs().stalenessNanos(revision))))
        .setHistoryId(resolved.tokens().historyId().text())
        .build();
  }

  private static WatchEvent encodeWithin(ProtoEventEncoder encoder, KubeObject object, int limit) {
    WatchEvent event = encoder.listed(object);
    return event.getSerializedSize() <= limit ? event : encoder.omittingBodies().listed(object);
  }

  private static long count(StateMap state, CompiledSelection selection) {
    if (selection.selectsEverything()) {
      return state.size();
    }
    long count = 0;
    for (KeyRange range : SelectedKeyRanges.of(selection)) {
      StateCursor cursor = state.cursor(range);
      for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
        if (selection.matches(object)) {
          count++;
        }
        cursor.advance();
      }
    }
    return count;
  }
}
