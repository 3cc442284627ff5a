package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.Status;
import io.grpc.TlsServerCredentials;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The complete command against a gateway that plays a short script and then ends with STOP. */
@Timeout(300)
class WatchCommandTest {
  private static final String OBJECT =
      "{\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"%s\"},\"x\":9007199254740993}";

  private final Piece piece = new Piece();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Server server = start(InsecureServerCredentials.create());

  private Server start(ServerCredentials credentials) {
    try {
      return Grpc.newServerBuilderForPort(0, credentials).addService(piece).build().start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void stop() {
    server.shutdownNow();
  }

  private int watch(String... options) {
    String[] args = new String[options.length + 4];
    args[0] = "watch";
    args[1] = "cm";
    args[2] = "--server";
    args[3] = "localhost:" + server.getPort();
    System.arraycopy(options, 0, args, 4, options.length);
    return Main.run(
        out, new PrintStream(err, true, StandardCharsets.UTF_8), InstantSource.system(), args);
  }

  @Test
  void reconnect_snapshotAndChangesArePrinted() {
    int code =
        watch("-o", "json", "-n", "a,b", "-n", "c", "-l", "app=web", "--field-selector", "x=y");

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            {"type":"ADDED","object":%s}
            {"type":"MODIFIED","object":%s}
            """
                .formatted(OBJECT.formatted("one"), OBJECT.formatted("two")));
    assertThat(err.toString(StandardCharsets.UTF_8).lines().toList())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith("watchgate: reconnected after ")
                    .contains("UNAVAILABLE: the piece has an interval")
                    .endsWith("goes on right after version 10; nothing was missed"),
            line -> assertThat(line).isEqualTo("watchgate: TYPE_GONE: the piece is over"),
            line -> assertThat(line).isEqualTo("  see docs/reference/errors.md#type_gone"));
    assertThat(code).isEqualTo(1);
    ListAndWatchRequest first = piece.requests.getFirst();
    assertThat(first.getSelection().getResourceType().getResource()).isEqualTo("cm");
    assertThat(first.getSelection().getNamespacesList()).containsExactly("a", "b", "c");
    assertThat(first.getSelection().getLabelSelector()).isEqualTo("app=web");
    assertThat(first.getSelection().getFieldSelector()).isEqualTo("x=y");
    assertThat(first.getProjection().getView()).isEqualTo(ObjectView.OBJECT_VIEW_FULL);
    assertThat(first.getClientName()).isEqualTo("watchgate watch");
    assertThat(piece.requests.get(1).getResumeToken().toStringUtf8()).isEqualTo("t10");
  }

  @Test
  void oneNamespace_hasNoColumn() {
    watch("-n", "a");

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            EVENT      NAME   AGE
            ADDED      one    <unknown>
            MODIFIED   two    <unknown>
            """);
    assertThat(piece.requests.getFirst().getProjection().getView())
        .isEqualTo(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS);
  }

  @Test
  void allNamespaces_haveColumn() {
    watch("-A", "--output-watch-events");

    assertThat(out.toString(StandardCharsets.UTF_8))
        .startsWith(
            """
            EVENT      NAMESPACE   NAME   AGE
            ADDED      a           one    <unknown>
            """);
  }

  @Test
  void tlsCa_connectsToGateway(@TempDir Path directory) throws Exception {
    HeldCertificate authority = new HeldCertificate.Builder().certificateAuthority(0).build();
    HeldCertificate certificate =
        new HeldCertificate.Builder()
            .addSubjectAlternativeName("localhost")
            .signedBy(authority)
            .build();
    server.shutdownNow();
    server =
        start(
            TlsServerCredentials.create(
                new ByteArrayInputStream(
                    certificate.certificatePem().getBytes(StandardCharsets.UTF_8)),
                new ByteArrayInputStream(
                    certificate.privateKeyPkcs8Pem().getBytes(StandardCharsets.UTF_8))));
    Path ca = Files.writeString(directory.resolve("ca.pem"), authority.certificatePem());

    watch("-o", "name", "--tls-ca", ca.toString());
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("setting.example.com/one\nsetting.example.com/two\n");

    err.reset();
    assertThat(watch()).as("without TLS").isEqualTo(1);
    assertThat(watch("--tls")).as("with other authorities").isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("cannot watch at", "--tls-ca");
  }

  @Test
  void tlsServerName_isVerifiedInsteadOfAddress(@TempDir Path directory) throws Exception {
    HeldCertificate own =
        new HeldCertificate.Builder()
            .certificateAuthority(0)
            .addSubjectAlternativeName("watchgate.test")
            .build();
    server.shutdownNow();
    server =
        start(
            TlsServerCredentials.create(
                new ByteArrayInputStream(own.certificatePem().getBytes(StandardCharsets.UTF_8)),
                new ByteArrayInputStream(
                    own.privateKeyPkcs8Pem().getBytes(StandardCharsets.UTF_8))));
    String ca = Files.writeString(directory.resolve("ca.pem"), own.certificatePem()).toString();

    assertThat(watch("--tls-ca", ca)).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("its certificate is for watchgate.test", "--tls-server-name");
    watch("-o", "name", "--tls-ca", ca, "--tls-server-name", "watchgate.test");
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("setting.example.com/one\nsetting.example.com/two\n");
  }

  /** One object, an interruption, another object, the end. */
  private static final class Piece extends WatchServiceGrpc.WatchServiceImplBase {
    final List<ListAndWatchRequest> requests = new CopyOnWriteArrayList<>();

    @Override
    public void listAndWatch(
        ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> stream) {
      requests.add(request);
      ListAndWatchResponse.Builder opened =
          ListAndWatchResponse.newBuilder().setOpened(StreamOpened.getDefaultInstance());
      stream.onNext(opened.build());
      if (request.getResumeToken().isEmpty()) {
        stream.onNext(
            ListAndWatchResponse.newBuilder()
                .setSnapshotStarted(
                    SnapshotStarted.newBuilder()
                        .setReason(SnapshotReason.SNAPSHOT_REASON_REQUESTED))
                .build());
        stream.onNext(
            at(10)
                .addEvents(event(EventType.EVENT_TYPE_ADDED, "one"))
                .setSynced(Synced.getDefaultInstance())
                .build());
        stream.onError(
            Status.UNAVAILABLE.withDescription("the piece has an interval").asRuntimeException());
        return;
      }
      stream.onNext(at(10).setResumed(Resumed.getDefaultInstance()).build());
      stream.onNext(at(11).addEvents(event(EventType.EVENT_TYPE_MODIFIED, "two")).build());
      Metadata trailers = new Metadata();
      trailers.put(
          Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER), "TYPE_GONE");
      trailers.put(Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER), "STOP");
      stream.onError(
          Status.NOT_FOUND.withDescription("the piece is over").asRuntimeException(trailers));
    }

    private static ListAndWatchResponse.Builder at(int version) {
      return ListAndWatchResponse.newBuilder()
          .setResourceVersion(Integer.toString(version))
          .setResumeToken(ByteString.copyFromUtf8("t" + version));
    }

    private static WatchEvent event(EventType type, String name) {
      return WatchEvent.newBuilder()
          .setType(type)
          .setKey(ObjectKey.newBuilder().setNamespace("a").setName(name).setUid(name))
          .setResourceVersion("9")
          .setObject(ByteString.copyFromUtf8(OBJECT.formatted(name)))
          .build();
    }
  }
}
