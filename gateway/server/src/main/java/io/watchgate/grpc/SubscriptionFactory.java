package io.watchgate.grpc;

import io.watchgate.admission.StreamAdmission;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Caller;
import io.watchgate.cache.TypeLease;
import io.watchgate.encode.ListAndWatchFormat;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.StartPoint;
import io.watchgate.fanout.StreamOptions;
import io.watchgate.fanout.Subscription;
import io.watchgate.fanout.UserResources;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.StreamOpened;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Factory of the subscriptions of ListAndWatch calls. It checks and resolves the request, admits
 * the caller, and leases the type. Thread-safe; may block.
 */
final class SubscriptionFactory {
  private final String serverId;
  private final AccessController accessController;
  private final GatewayContext.Delivery delivery;
  private final RequestResolver resolver;
  private final StreamAdmission admission;
  private final AtomicLong streams = new AtomicLong();

  /** Settings of the last stream. Most clients ask for the same, and then share the object. */
  private volatile @Nullable StreamOptions lastSettings;

  /**
   * @param serverId prefix of the streams' ids
   */
  SubscriptionFactory(
      String serverId,
      AccessController accessController,
      GatewayContext.Delivery delivery,
      RequestResolver resolver,
      StreamAdmission admission) {
    this.serverId = serverId;
    this.accessController = accessController;
    this.delivery = delivery;
    this.resolver = resolver;
    this.admission = admission;
  }

  /**
   * Returns a subscription that is not open yet, but has a lease on its type, so the caller must
   * open it. The access of the caller is checked after everything else, and before anything is
   * opened.
   */
  Subscription subscribe(ListAndWatchRequest request, Caller caller, WatchServerCall call)
      throws ApiException, InterruptedException {
    UnknownFieldCheck.check(request);
    RequestLimits.checkClientName(request.getClientName());
    StreamOptions settings = settings(request);
    ResolvedRequest resolved = resolver.resolve(request.getSelection(), request.getProjection());
    StartPoint start = start(request, resolved);
    long number = streams.incrementAndGet();
    StreamOpened opened =
        StreamOpened.newBuilder()
            .setStreamId(StreamSession.streamId(serverId, number))
            .setServerId(serverId)
            .setHistoryId(resolved.tokens().historyId().text())
            .setSelection(resolved.applied(request.getSelection()))
            .setProjection(ProjectionParser.toProto(resolved.projection()))
            .setDelivery(DeliveryParser.toProto(settings))
            .build();
    AccessController.Admitted admitted =
        accessController.admit(caller, resolved.selection(), resolved.projection(), call);
    call.session().setAdmitted(admitted, number);
    TypeLease type = admission.admit(resolved.definition());
    return new Subscription(
        new Subscription.Environment(
            call.streamLoop(),
            call.servingOrder(),
            delivery.routers(),
            userResources(caller),
            delivery.settings(),
            delivery.time(),
            delivery.metrics()),
        type,
        new Subscription.Request(
            resolved.selection(),
            new ListAndWatchFormat(resolved.projection(), resolved.tokens()),
            settings,
            start,
            opened),
        call);
  }

  private StreamOptions settings(ListAndWatchRequest request) throws ApiException {
    StreamOptions asked =
        DeliveryParser.parse(
            request.getDelivery(),
            RequestLimits.minimumVersion(request.getMinimumResourceVersion()));
    StreamOptions last = lastSettings;
    if (last != null && last.equals(asked)) {
      return last;
    }
    lastSettings = asked;
    return asked;
  }

  private UserResources userResources(Caller caller) {
    AuthSettings access = accessController.settings();
    return access.identification().isEnabled()
        ? delivery.routers().userResources(caller.user(), access.quotas().maxUnreadBytes())
        : delivery.routers().shared();
  }

  static StartPoint start(ListAndWatchRequest request, ResolvedRequest resolved)
      throws ApiException {
    ProjectionParser.checkStart(resolved.projection(), request);
    return switch (request.getStartCase()) {
      case START_NOT_SET -> new StartPoint.Snapshot();
      case RESUME_TOKEN ->
          request.getResumeToken().isEmpty()
              ? new StartPoint.Snapshot()
              : new StartPoint.Token(resolved.tokens().check(request.getResumeToken()));
      case RESOURCE_VERSION ->
          new StartPoint.Version(
              RequestLimits.version("resource_version", request.getResourceVersion()));
      case FROM_NOW -> new StartPoint.Now();
    };
  }
}
