package io.watchgate.grpc;

import io.watchgate.auth.AccessController;
import io.watchgate.auth.Caller;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.HistoryId;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.ProtoTime;
import io.watchgate.error.ApiException;
import io.watchgate.error.UpstreamErrors;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.PrinterColumn;
import io.watchgate.proto.v1.ServedType;
import io.watchgate.proto.v1.ServerInfo;
import io.watchgate.select.SelectableFields;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Handler of ListResourceTypes: the types that can be watched here, and the state of those that are
 * open.
 */
final class ListTypesHandler {
  private final GatewayContext.Identity identity;
  private final ServedClusterId clusterId;
  private final GatewayContext.Types types;
  private final AccessController accessController;

  ListTypesHandler(
      GatewayContext.Identity identity,
      ServedClusterId clusterId,
      GatewayContext.Types types,
      AccessController accessController) {
    this.identity = identity;
    this.clusterId = clusterId;
    this.types = types;
    this.accessController = accessController;
  }

  /**
   * Lists the types for every authenticated caller, since discovery shows them to every caller too.
   */
  ListResourceTypesResponse list(ListResourceTypesRequest request, CallOrigin origin)
      throws ApiException, InterruptedException {
    String cluster = clusterId.require();
    Caller caller = accessController.authenticate(origin.credentials(), origin.address());
    UnknownFieldCheck.check(request);
    ListResourceTypesResponse.Builder response =
        ListResourceTypesResponse.newBuilder()
            .setServer(
                ServerInfo.newBuilder()
                    .setVersion(identity.version())
                    .setClusterId(cluster)
                    .setServerId(identity.serverId()));
    // An open type is listed even if it is not the preferred version, or discovery is unavailable.
    Map<TypeReference, TypeDefinition> listed = new LinkedHashMap<>();
    Cluster.Listing listing = types.cluster().types();
    for (TypeDefinition definition : listing.types()) {
      if (definition.isWatchable() && types.served().isServed(definition.type())) {
        listed.put(definition.type().reference(), definition);
      }
    }
    for (WatchCache open : types.registry().caches()) {
      listed.putIfAbsent(open.definition().type().reference(), open.definition());
    }
    if (listed.isEmpty() && listing.failure().isPresent()) {
      throw new ApiException(UpstreamErrors.typesUnknown(listing.failure().get().message()));
    }
    List<ApiResource> open =
        listed.values().stream()
            .map(TypeDefinition::type)
            .filter(type -> types.registry().find(type) != null)
            .toList();
    Set<ApiResource> listable = listable(caller, open);
    for (TypeDefinition definition : listed.values()) {
      response.addTypes(
          servedType(cluster, definition, listable)
              .addAllPrinterColumns(
                  listing.columns().getOrDefault(definition.type(), List.of()).stream()
                      .map(ListTypesHandler::column)
                      .toList()));
    }
    listing
        .unread()
        .forEach(
            (type, failure) -> {
              if (!listed.containsKey(type.reference())) {
                response.addTypes(unreadableType(type, failure));
              }
            });
    return response.build();
  }

  private static ServedType unreadableType(ApiResource type, UpstreamFailure failure) {
    return ServedType.newBuilder()
        .setResourceType(ResolvedRequest.toProto(type))
        .setKind(type.kind())
        .setNamespaced(type.isNamespaced())
        .setError(failure.message())
        .build();
  }

  /** Returns the types that the caller may list; empty if the apiserver does not answer in time. */
  private Set<ApiResource> listable(Caller caller, List<ApiResource> open)
      throws ApiException, InterruptedException {
    CompletableFuture<Set<ApiResource>> answer = new CompletableFuture<>();
    Thread asking =
        Thread.ofVirtual()
            .name("listed-rights")
            .start(
                () -> {
                  try {
                    answer.complete(accessController.listable(caller, open));
                  } catch (ApiException | InterruptedException | RuntimeException e) {
                    answer.completeExceptionally(e);
                  }
                });
    try {
      return answer.get(RequestLimits.LISTABLE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return Set.of();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ApiException refused) {
        throw refused;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      asking.interrupt();
    }
  }

  /** The number of objects and the version are only for callers that may list the objects. */
  private ServedType.Builder servedType(
      String cluster, TypeDefinition definition, Set<ApiResource> listable) {
    ServedType.Builder served =
        ServedType.newBuilder()
            .setResourceType(ResolvedRequest.toProto(definition.type()))
            .setKind(definition.type().kind())
            .setNamespaced(definition.type().isNamespaced())
            .addAllShortNames(definition.shortNames())
            .addAllSelectableFields(SelectableFields.of(definition).names())
            .setHistoryId(new HistoryId(cluster, definition).text());
    WatchCache cache = types.registry().find(definition.type());
    if (cache != null && listable.contains(definition.type())) {
      UpstreamFailure failure = cache.upstreamState().failure();
      if (failure != null) {
        served.setError(failure.message());
      }
      served.setStaleness(ProtoTime.of(Duration.ofNanos(cache.proofs().stalenessNanos())));
      Revision head = cache.head();
      Revision oldest = cache.oldest();
      if (head != null && oldest != null) {
        served
            .setSynced(true)
            .setObjects(head.state().size())
            .setResourceVersion(head.version().digits())
            .setOldestResourceVersion(oldest.version().digits());
      }
    }
    return served;
  }

  private static PrinterColumn column(io.watchgate.cache.CustomColumn column) {
    return PrinterColumn.newBuilder()
        .setName(column.name())
        .setType(column.type())
        .setFormat(column.format())
        .setDescription(column.description())
        .setPriority(column.priority())
        .setJsonPath(column.jsonPath())
        .build();
  }
}
