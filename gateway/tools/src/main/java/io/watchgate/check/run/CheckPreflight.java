package io.watchgate.check.run;

import com.google.gson.JsonParseException;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.RawApiClient.Message;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Checks before a run writes anything: of the served cluster, and of the rights of the caller. */
final class CheckPreflight {
  /**
   * Limit of the first call of a JVM, which takes seconds on a busy machine. An address without a
   * server refuses at once.
   */
  private static final int ANSWER_SECONDS = 20;

  /**
   * Pattern of a cluster ID that identifies the cluster. Any other ID is a configured name of the
   * gateway.
   */
  private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private static final Metadata.Key<String> ACTION =
      Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER);

  private CheckPreflight() {}

  /**
   * Compares the cluster IDs, and checks that the caller may list each type in all namespaces. A
   * gateway that does not respond is skipped if another one does, and so is one that cannot answer
   * now.
   *
   * @throws CheckException if a gateway serves another cluster, if it permanently refuses the
   *     caller, or if no gateway answers: a run would write for its whole time, to see nothing
   */
  static void check(RawApiClient api, List<Channel> gateways, List<WatchedType> types)
      throws CheckException {
    Optional<String> ours = uid(api);
    Set<String> asked = new HashSet<>();
    Map<String, StatusRuntimeException> silent = new LinkedHashMap<>();
    for (Channel gateway : gateways) {
      String at = String.valueOf(gateway.authority());
      if (!asked.add(at)) {
        continue;
      }
      Optional<String> answered = served(gateway, at, silent);
      Optional<String> theirs = answered.filter(id -> UID.matcher(id).matches());
      if (ours.isPresent() && theirs.isPresent() && !theirs.equals(ours)) {
        throw new CheckException(
            "the gateway at %s serves another cluster: the uid of its namespace kube-system is %s, that of the apiserver given is %s. Name the apiserver behind the gateway (--apiserver, --kubeconfig, --context)."
                .formatted(at, theirs.get(), ours.get()));
      }
      if (answered.isPresent()) {
        for (WatchedType type : types) {
          requireList(gateway, at, type);
        }
      }
    }
    if (silent.size() == asked.size()) {
      throw new CheckException(
          "no gateway answers at " + String.join(", ", silent.keySet()),
          silent.values().iterator().next());
    }
  }

  private static void requireList(Channel gateway, String at, WatchedType type)
      throws CheckException {
    ResourceType asked =
        ResourceType.newBuilder().setGroup(type.group()).setResource(type.plural()).build();
    try {
      var _ =
          WatchServiceGrpc.newBlockingStub(gateway)
              .withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS)
              .listObjects(
                  ListObjectsRequest.newBuilder()
                      .setSelection(Selection.newBuilder().setResourceType(asked))
                      .setProjection(Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_KEY))
                      .setPageSize(1)
                      .build());
    } catch (StatusRuntimeException e) {
      Metadata trailers = Status.trailersFromThrowable(e);
      if (trailers != null && "STOP".equals(trailers.get(ACTION))) {
        throw new CheckException(
            "the gateway at %s refuses to list %s: %s"
                .formatted(at, type.qualifiedName(), e.getStatus().getDescription()));
      }
    }
  }

  private static Optional<String> uid(RawApiClient api) {
    try {
      byte[] answer = api.send(Message.get("api/v1/namespaces/kube-system"));
      return Optional.of(
          ObjectStates.text(ObjectStates.parse(answer).getAsJsonObject("metadata"), "uid"));
    } catch (KubeException | JsonParseException | IllegalStateException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> served(
      Channel gateway, String at, Map<String, StatusRuntimeException> silent)
      throws CheckException {
    try {
      return Optional.of(
          WatchServiceGrpc.newBlockingStub(gateway)
              .withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS)
              .listResourceTypes(ListResourceTypesRequest.getDefaultInstance())
              .getServer()
              .getClusterId());
    } catch (StatusRuntimeException e) {
      Metadata trailers = Status.trailersFromThrowable(e);
      if (trailers != null && "STOP".equals(trailers.get(ACTION))) {
        throw new CheckException(
            "the gateway at %s refuses the caller: %s"
                .formatted(at, e.getStatus().getDescription()));
      }
      if (trailers == null || !trailers.containsKey(ACTION)) {
        silent.put(at, e);
      }
      return Optional.empty();
    }
  }
}
