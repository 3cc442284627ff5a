package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static io.watchgate.grpc.ServerFixture.with;
import static io.watchgate.grpc.ServerFixture.withToken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Callers;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of authentication and authorization, and of the errors of refused callers. */
final class AccessErrorsTest {
  private static final String TOKEN = "t0ken-which-n0body-may-read";
  private static final ListObjectsRequest LIST =
      ListObjectsRequest.newBuilder().setSelection(CONFIG_MAPS.getSelection()).build();

  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final ServerFixture fixture =
      ServerFixture.withAccessControl(
          Callers.settings(AuthSettings.Quotas.DEFAULTS),
          apiserver,
          SampleObject.of("ns", "a", 50));
  private final Channel channel = fixture.connect();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Returns the error, which is the same for every method. */
  private RawStream.End refused(Channel by) {
    RawStream stream = RawStream.open(by, CONFIG_MAPS);
    RawStream.End end = stream.end();
    assertThat(stream.responses()).isEmpty();
    assertThat(end.trailers().toString()).doesNotContain(TOKEN);
    assertThat(end.status().toString()).doesNotContain(TOKEN);
    assertThat(failure(() -> list(by)).summary()).isEqualTo(end.summary());
    return end;
  }

  private static int list(Channel by) {
    return WatchServiceGrpc.newBlockingStub(by).listObjects(LIST).getObjectsCount();
  }

  private static int types(Channel by) {
    return WatchServiceGrpc.newBlockingStub(by)
        .listResourceTypes(ListResourceTypesRequest.getDefaultInstance())
        .getTypesCount();
  }

  @Test
  @Tag("slow") // waits for the access review up to its limit
  void listTypes_whileApiserverHangs_omitsNumbers() {
    apiserver.knows("of-ann", "ann");
    apiserver.knows("of-bob", "bob");
    Channel bob = ServerFixture.withToken(channel, "of-bob");
    assertThat(types(bob)).isEqualTo(1); // and so the token is known
    RawStream open = RawStream.open(ServerFixture.withToken(channel, "of-ann"), CONFIG_MAPS);
    await().until(open::isSynced);

    CountDownLatch hanging = apiserver.hold();
    try {
      ListResourceTypesResponse listed =
          WatchServiceGrpc.newBlockingStub(bob)
              .withDeadlineAfter(3, TimeUnit.MINUTES)
              .listResourceTypes(ListResourceTypesRequest.getDefaultInstance());
      assertThat(listed.getTypesList())
          .singleElement()
          .satisfies(type -> assertThat(type.getSynced()).isFalse());
    } finally {
      hanging.countDown();
    }
  }

  private static RawStream.End failure(Runnable call) {
    try {
      call.run();
      throw new AssertionError("let in");
    } catch (StatusRuntimeException e) {
      return new RawStream.End(e.getStatus(), Optional.ofNullable(e.getTrailers()).orElseThrow());
    }
  }

  private static void assertInvalid(RawStream.End end) {
    assertThat(end.summary()).isEqualTo("UNAUTHENTICATED CREDENTIALS_INVALID STOP");
  }

  private void assertSynced(Channel by) {
    RawStream stream = RawStream.open(by, CONFIG_MAPS);
    await().until(stream::isSynced);
    stream.cancel();
  }

  @Test
  void knownAndAllowedCaller_isServed() {
    apiserver.knows(TOKEN, "jane");

    assertSynced(withToken(channel, TOKEN));
    assertThat(list(withToken(channel, TOKEN))).isEqualTo(1);
    assertThat(types(withToken(channel, TOKEN))).isEqualTo(1);
    assertThat(apiserver.tokens()).containsExactly(TOKEN);
  }

  @Test
  void anonymousCaller_isRefusedWithoutClusterDetails() {
    RawStream.End end = refused(channel);

    assertInvalid(end);
    assertThat(end.status().getDescription()).contains("authorization: Bearer TOKEN");
    assertInvalid(failure(() -> types(channel)));
    // The error is the same for missing objects, else callers could find out which exist.
    RawStream other =
        RawStream.open(
            channel,
            CONFIG_MAPS.toBuilder()
                .setSelection(CONFIG_MAPS.getSelection().toBuilder().setLabelSelector("="))
                .build());
    assertInvalid(other.end());
    assertThat(fixture.isTypeOpen()).isFalse();
    assertThat(apiserver.accesses()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer \t ",
        "Basic dXNlcjpwYXNz",
        TOKEN,
        "Token " + TOKEN,
        "Bearer:" + TOKEN,
        "Negotiate, Bearer " + TOKEN
      })
  void malformedAuthorization_isRefusedWithoutReview(String value) {
    apiserver.knows(TOKEN, "jane");

    assertInvalid(refused(with(channel, "authorization", value)));
    assertThat(apiserver.tokens()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"bearer " + TOKEN, "BEARER " + TOKEN, "Bearer   " + TOKEN + "  "})
  void bearerScheme_isCaseInsensitive(String value) {
    apiserver.knows(TOKEN, "jane");

    assertThat(list(with(channel, "authorization", value))).isEqualTo(1);
  }

  @Test
  void severalAuthorizations_areRefused() {
    apiserver.knows(TOKEN, "jane");
    String good = "Bearer " + TOKEN;

    assertInvalid(refused(with(channel, "authorization", good, good)));
    assertInvalid(refused(with(channel, "authorization", good, "Bearer x")));
    assertThat(apiserver.tokens()).isEmpty();
  }

  @Test
  void tokenThatIsNotText_isUnknown() {
    Metadata headers = new Metadata();
    headers.put(
        InternalMetadata.keyOf(
            "authorization",
            new InternalMetadata.TrustedAsciiMarshaller<byte[]>() {
              @Override
              public byte[] toAsciiString(byte[] value) {
                return value;
              }

              @Override
              public byte[] parseAsciiString(byte[] serialized) {
                return serialized;
              }
            }),
        "Bearer \u00ff\u0080\u0001\u007f\u00e4".getBytes(StandardCharsets.ISO_8859_1));

    RawStream.End end =
        refused(
            ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(headers)));

    assertInvalid(end);
  }

  @Test
  void tokenAbove64Kib_neverComesToTheApiserver() {
    RawStream.End end = refused(withToken(channel, "x".repeat(RequestLimits.MAX_TOKEN_BYTES + 1)));

    assertInvalid(end);
    assertThat(String.valueOf(end.status())).doesNotContain("xxxxx");
    assertThat(apiserver.tokens()).isEmpty();
    await().until(() -> fixture.places.usedSlots() == 0);
    apiserver.knows(TOKEN, "jane");
    assertThat(list(withToken(channel, TOKEN))).isEqualTo(1);
  }

  @Test
  void userHeadersOfProxies_areIgnored() {
    Channel claimed = channel;
    for (String name :
        new String[] {"x-remote-user", "x-forwarded-user", "impersonate-user", "x-remote-group"}) {
      claimed = with(claimed, name, "system:masters");
    }

    assertInvalid(refused(claimed));
    apiserver.knows(TOKEN, "jane");
    apiserver.allows((identity, access) -> !identity.user().equals("jane"));
    assertThat(refused(withToken(claimed, TOKEN)).summary())
        .isEqualTo("PERMISSION_DENIED ACCESS_DENIED STOP");
  }

  @Test
  void expiredToken_isNamedAndANewOneIsAccepted() {
    String old = Callers.expiring(Instant.now().minusSeconds(5));
    apiserver.knows(old, "jane");

    assertThat(refused(withToken(channel, old)).summary())
        .isEqualTo("UNAUTHENTICATED CREDENTIALS_EXPIRED RESUME");
  }

  @Test
  void deniedCaller_getsReasonAndTypeStaysClosed() throws Exception {
    apiserver.knows(TOKEN, "jane");
    apiserver.allows((identity, access) -> false);

    RawStream.End end = refused(withToken(channel, TOKEN));

    assertThat(end.summary()).isEqualTo("PERMISSION_DENIED ACCESS_DENIED STOP");
    com.google.rpc.Status status =
        Objects.requireNonNull(StatusProto.fromStatusAndTrailers(end.status(), end.trailers()));
    assertThat(status.getMessage())
        .contains("\"jane\" may not list configmaps in the whole cluster");
    assertThat(status.getDetails(0).unpack(ErrorInfo.class).getReason()).isEqualTo("ACCESS_DENIED");
    assertThat(fixture.isTypeOpen()).isFalse();
    assertThat(types(withToken(channel, TOKEN))).as("but he is let in").isEqualTo(1);
  }

  @Test
  void unavailableApiserver_isNotADenial() throws Exception {
    apiserver.knows(TOKEN, "jane");
    apiserver.isSilent(true);
    RawStream.End unknown = refused(withToken(channel, TOKEN));
    apiserver.isSilent(false);
    apiserver.isSilentAbout((identity, access) -> true);
    RawStream.End unanswered = refused(withToken(channel, TOKEN));

    for (RawStream.End end : new RawStream.End[] {unknown, unanswered}) {
      assertThat(end.summary()).isEqualTo("UNAVAILABLE UPSTREAM_UNAVAILABLE RESUME");
      assertThat(
              Objects.requireNonNull(
                      StatusProto.fromStatusAndTrailers(end.status(), end.trailers()))
                  .getDetailsList())
          .anyMatch(detail -> detail.is(RetryInfo.class));
    }
    apiserver.isSilent(false);
    assertSynced(withToken(channel, TOKEN));
  }

  @Test
  void list_needsListAccess_watch_needsBoth() {
    apiserver.knows(TOKEN, "jane");
    apiserver.allows((identity, access) -> is(access, AccessAttributes.Verb.LIST));
    assertThat(list(withToken(channel, TOKEN))).isEqualTo(1);
    RawStream stream = RawStream.open(withToken(channel, TOKEN), CONFIG_MAPS);
    stream.assertEnds("PERMISSION_DENIED ACCESS_DENIED STOP");
    assertThat(stream.end().status().getDescription())
        .contains("The call needs the permissions list and watch, which");

    apiserver.knows("other", "joe");
    apiserver.allows((identity, access) -> is(access, AccessAttributes.Verb.WATCH));
    RawStream.End refusal = failure(() -> list(withToken(channel, "other")));
    assertThat(refusal.summary()).isEqualTo("PERMISSION_DENIED ACCESS_DENIED STOP");
    assertThat(refusal.status().getDescription())
        .contains("The call needs the permission list, which");
  }

  private static boolean is(AccessAttributes access, AccessAttributes.Verb verb) {
    return access instanceof AccessAttributes.ResourceAccess objects && objects.verb() == verb;
  }

  @Test
  void everySelectedNamespace_mustBeAllowed() {
    apiserver.knows(TOKEN, "jane");
    apiserver.allows(
        (identity, access) ->
            access instanceof AccessAttributes.ResourceAccess objects
                && objects.namespace().equals("ns"));
    Channel jane = withToken(channel, TOKEN);

    RawStream.open(jane, CONFIG_MAPS).assertEnds("PERMISSION_DENIED ACCESS_DENIED STOP");
    RawStream.open(jane, in("ns", "other")).assertEnds("PERMISSION_DENIED ACCESS_DENIED STOP");
    RawStream open = RawStream.open(jane, in("ns"));
    await().until(open::isSynced);
  }

  private static ListAndWatchRequest in(String... namespaces) {
    return CONFIG_MAPS.toBuilder()
        .setSelection(CONFIG_MAPS.getSelection().toBuilder().addAllNamespaces(List.of(namespaces)))
        .build();
  }

  @Test
  void healthAndReflection_needNoAuthentication() throws Exception {
    assertThat(
            HealthGrpc.newBlockingStub(channel)
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatus())
        .isEqualTo(ServingStatus.SERVING);
    CompletableFuture<Integer> services = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    services.complete(response.getListServicesResponse().getServiceCount());
                  }

                  @Override
                  public void onError(Throwable failure) {
                    services.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    assertThat(services.get(3, TimeUnit.MINUTES)).isGreaterThanOrEqualTo(3);
    requests.onCompleted();
    assertThat(apiserver.tokens()).isEmpty();
  }

  /** A cached answer about one caller must not admit another caller of the same connection. */
  @Test
  void callersOfOneConnection_areSeparate() {
    apiserver.knows("of-jane", "jane");
    apiserver.knows("of-joe", "joe");
    apiserver.allows((identity, access) -> identity.user().equals("jane"));

    RawStream jane = RawStream.open(withToken(channel, "of-jane"), CONFIG_MAPS);
    RawStream joe = RawStream.open(withToken(channel, "of-joe"), CONFIG_MAPS);

    joe.assertEnds("PERMISSION_DENIED ACCESS_DENIED STOP");
    await().until(jane::isSynced);
    assertInvalid(refused(channel));
  }
}
