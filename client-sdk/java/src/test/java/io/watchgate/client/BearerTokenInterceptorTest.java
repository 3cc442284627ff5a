package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the token that a client sends with each call. */
final class BearerTokenInterceptorTest {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Duration LONG = Duration.ofMinutes(3);

  private final List<String> shown = Collections.synchronizedList(new ArrayList<>());
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void connect() throws IOException {
    String name = InProcessServerBuilder.generateName();
    server = serving(InProcessServerBuilder.forName(name));
    channel = InProcessChannelBuilder.forName(name).build();
  }

  private Server serving(ServerBuilder<?> builder) throws IOException {
    ServerInterceptor noting =
        new ServerInterceptor() {
          @Override
          public <Q, A> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            Iterable<String> values = headers.getAll(AUTHORIZATION);
            shown.add(values == null ? "nothing" : String.join(" and ", values));
            return next.startCall(call, headers);
          }
        };
    return builder
        .addService(
            new WatchServiceGrpc.WatchServiceImplBase() {
              @Override
              public void listResourceTypes(
                  ListResourceTypesRequest request,
                  StreamObserver<ListResourceTypesResponse> responses) {
                responses.onNext(ListResourceTypesResponse.getDefaultInstance());
                responses.onCompleted();
              }
            })
        .intercept(noting)
        .build()
        .start();
  }

  @AfterEach
  void disconnect() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private void call(Supplier<String> token) {
    Channel intercepted = ClientInterceptors.intercept(channel, new BearerTokenInterceptor(token));
    WatchServiceGrpc.newBlockingStub(intercepted)
        .listResourceTypes(ListResourceTypesRequest.getDefaultInstance());
  }

  @Test
  void token_isRequestedForEachCall() {
    List<String> tokens = new ArrayList<>(List.of("first", "second"));
    Supplier<String> next = () -> tokens.remove(0);
    call(next);
    call(next);

    assertThat(shown).containsExactly("Bearer first", "Bearer second");
  }

  @Test
  void failedToken_failsCallAsUnavailable() {
    List<RuntimeException> failures = new ArrayList<>();
    Supplier<String> second =
        () -> {
          if (failures.isEmpty()) {
            failures.add(new IllegalStateException("the file is gone"));
            throw failures.get(0);
          }
          return "there again";
        };

    assertThatThrownBy(() -> call(second))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
              assertThat(e.getStatus().getDescription())
                  .isEqualTo("there is no token to present: the file is gone");
            });
    assertThat(shown).isEmpty();
    call(second);
    assertThat(shown).containsExactly("Bearer there again");
  }

  @Test
  @SuppressWarnings("NullAway") // a program without null checks may do so
  void nullToken_failsCallAsUnavailable() {
    assertThatThrownBy(() -> call(() -> null))
        .hasMessage("UNAVAILABLE: there is no token to present: the supplier gave null");
    assertThat(shown).isEmpty();
  }

  @Test
  void tokenFile_isReadForEachCall(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "first\n");
    Server listening = serving(Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create()));
    try (WatchClient client =
        WatchClient.to("127.0.0.1", listening.getPort()).bearerTokenFile(file).build()) {
      client.listResourceTypes(LONG);
      Files.writeString(file, "");
      assertThatThrownBy(() -> client.listResourceTypes(LONG))
          .hasStackTraceContaining("holds no token");
      Files.delete(file);
      assertThatThrownBy(() -> client.listResourceTypes(LONG))
          .hasStackTraceContaining("there is no token to present");
      Files.writeString(file, "  second");
      client.listResourceTypes(LONG);
    } finally {
      listening.shutdownNow();
    }

    assertThat(shown).containsExactly("Bearer first", "Bearer second");
  }

  @Test
  void fileWithoutToken_isRefusedAtStart(@TempDir Path folder) throws IOException {
    Path blank = Files.writeString(folder.resolve("blank"), " \n");
    WatchClientBuilder builder = WatchClient.to("127.0.0.1", 1);

    assertThatThrownBy(() -> builder.bearerTokenFile(blank))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("blank holds no token");
    assertThatThrownBy(() -> builder.bearerTokenFile(folder.resolve("none")))
        .isInstanceOf(IOException.class);
  }
}
