package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.StatusRuntimeException;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import io.watchgate.fanout.ApiError;
import io.watchgate.fanout.ApiException;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Bytes that pass through the checks of a request, with a cluster of pods and secrets. */
final class FuzzedRequest {
  private static final List<TypeDefinition> TYPES =
      List.of(
          definition("pods", "Pod", List.of("list", "watch")),
          definition("secrets", "Secret", List.of("list", "watch")),
          definition("bindings", "Binding", List.of("create")));

  /** Cluster that knows each type by its plural, without an apiserver. */
  private static final Cluster CLUSTER =
      new Cluster() {
        @Override
        public Resolution resolve(TypeReference name) {
          return TYPES.stream()
              .filter(type -> type.type().resource().equals(name.resource()))
              .findFirst()
              .<Resolution>map(Found::new)
              .orElse(new Unknown(List.of("pods")));
        }

        @Override
        public Resolution refresh(TypeReference name) {
          return resolve(name);
        }

        @Override
        public Listing types() {
          return new Listing(TYPES, Map.of(), Optional.empty());
        }

        @Override
        public Upstream open(TypeDefinition definition) {
          throw new UnsupportedOperationException();
        }
      };

  static final RequestResolver RESOLVER =
      new RequestResolver(new ServedTypes(CLUSTER, type -> false), "a cluster");

  private FuzzedRequest() {}

  private static TypeDefinition definition(String plural, String kind, List<String> verbs) {
    return new TypeDefinition(
        new ApiResource("", "v1", plural, kind, ApiResource.Scope.NAMESPACED),
        "",
        List.of(),
        verbs,
        "",
        List.of());
  }

  /** Checks of a message. */
  interface Checks<T> {
    void check(T message) throws ApiException, InterruptedException;
  }

  /**
   * Parses and checks the bytes. They pass, or are refused with a valid error; any other exception
   * is thrown.
   */
  static <T extends MessageLite> void check(byte[] bytes, Parser<T> parser, Checks<T> checks)
      throws InterruptedException {
    try {
      switch (new RequestMarshaller<>(parser).parse(new ByteArrayInputStream(bytes))) {
        case ParsedRequest.Message<T>(T message) -> checks.check(message);
        case ParsedRequest.Unreadable<T>(ApiError refusal) -> answer(refusal);
      }
    } catch (ApiException e) {
      answer(e.error());
    }
  }

  private static void answer(ApiError refusal) {
    assertThat(refusal.message()).isNotBlank();
    assertThat(GrpcErrors.action(refusal.reason())).isEqualTo(GrpcErrors.Action.STOP);
    StatusRuntimeException answer = GrpcErrors.exception(refusal);
    assertThat(GrpcErrors.trailers(answer).get(GrpcErrors.ACTION)).isEqualTo("STOP");
    assertThat(answer.getStatus().getDescription()).isNotBlank();
  }
}
