package io.watchgate.e2e.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.MessageLite;
import com.google.rpc.Status;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.browser.BrowserSettings;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.server.KubeApiSettings;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The methods of the contract over gRPC-Web, with frames read by the definition of its protocol.
 */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GrpcWebTest {
  private static final String NAMESPACE = "grpc-web";
  private static final String ORIGIN = "https://dashboard.example";

  /** Not the default, which begins with an upgrade to HTTP/2 that no browser sends. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Cluster cluster;
  private GatewayUnderTest gateway;
  private ManagedChannel channel;

  @BeforeAll
  void start(Apiserver apiserver) {
    cluster = apiserver.cluster();
    cluster.createNamespace(NAMESPACE);
    write("first");
    gateway = gateway(apiserver, BrowserSettings.DEFAULTS.withOrigins(Set.of(ORIGIN)));
    channel = NettyChannelBuilder.forAddress("127.0.0.1", gateway.port()).usePlaintext().build();
  }

  private static GatewayUnderTest gateway(Apiserver apiserver, BrowserSettings settings) {
    return GatewayUnderTest.startWithKubeApi(
        apiserver.kubeconfig(),
        GatewaySetup.AS_SERVED.opening("configmaps"),
        KubeApiSettings.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .with(settings));
  }

  @AfterAll
  void stop() {
    channel.shutdownNow();
    gateway.close();
    http.close();
  }

  private void write(String name) {
    cluster.create(
        Resource.CONFIGMAPS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"}}
            """
                .formatted(NAMESPACE, name)));
  }

  private static byte[] frame(MessageLite message) {
    byte[] bytes = message.toByteArray();
    return ByteBuffer.allocate(5 + bytes.length)
        .put((byte) 0)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  private HttpResponse<InputStream> post(String method, byte[] body, String... headers)
      throws IOException, InterruptedException {
    return post(gateway, method, body, headers);
  }

  private HttpResponse<InputStream> post(
      GatewayUnderTest to, String method, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:" + to.kubePort() + "/watchgate.v1.WatchService/" + method))
            .header("Content-Type", "application/grpc-web+proto")
            .header("X-Grpc-Web", "1")
            .timeout(EventReader.LIMIT)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
  }

  /** Reader of the frames of a response. */
  private static final class Frames implements AutoCloseable {
    private final DataInputStream in;
    private byte flags;

    Frames(HttpResponse<InputStream> response) {
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("content-type"))
          .contains("application/grpc-web+proto");
      in = new DataInputStream(response.body());
    }

    byte[] message() throws IOException {
      byte[] bytes = next();
      assertThat(flags).isZero();
      return bytes;
    }

    Map<String, String> trailers() throws IOException {
      byte[] bytes = next();
      assertThat(flags).isEqualTo((byte) 0x80);
      assertThat(in.read()).as("nothing follows the trailers").isNegative();
      Map<String, String> trailers = new HashMap<>();
      for (String line : new String(bytes, StandardCharsets.US_ASCII).split("\r\n", -1)) {
        if (!line.isEmpty()) {
          String[] parts = line.split(":", 2);
          trailers.put(parts[0], parts[1]);
        }
      }
      return trailers;
    }

    private byte[] next() throws IOException {
      flags = in.readByte();
      return in.readNBytes(in.readInt());
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  @Test
  void unaryMethods_answerAsOverGrpc() throws Exception {
    await()
        .atMost(EventReader.LIMIT)
        .until(
            () ->
                !WatchServiceGrpc.newBlockingStub(channel)
                    .listResourceTypes(ListResourceTypesRequest.getDefaultInstance())
                    .getTypesList()
                    .isEmpty());
    try (Frames frames =
        new Frames(
            post("ListResourceTypes", frame(ListResourceTypesRequest.getDefaultInstance())))) {
      ListResourceTypesResponse answer = ListResourceTypesResponse.parseFrom(frames.message());
      assertThat(answer.getServer())
          .isEqualTo(
              WatchServiceGrpc.newBlockingStub(channel)
                  .listResourceTypes(ListResourceTypesRequest.getDefaultInstance())
                  .getServer());
      assertThat(frames.trailers()).containsEntry("grpc-status", "0");
    }
    var request = Requests.list("configmaps", NAMESPACE).build();
    try (Frames frames = new Frames(post("ListObjects", frame(request)))) {
      assertThat(ListObjectsResponse.parseFrom(frames.message()).getObjectsList())
          .isEqualTo(
              WatchServiceGrpc.newBlockingStub(channel).listObjects(request).getObjectsList())
          .isNotEmpty();
      assertThat(frames.trailers()).containsEntry("grpc-status", "0");
    }
  }

  @Test
  void watch_streamsMessagesAndResumes() throws Exception {
    ListAndWatchRequest request = Requests.watch("configmaps", NAMESPACE).build();
    ListAndWatchResponse last = ListAndWatchResponse.getDefaultInstance();
    try (Frames frames = new Frames(post("ListAndWatch", frame(request)))) {
      while (!last.hasSynced()) {
        last = ListAndWatchResponse.parseFrom(frames.message());
      }
      write("streamed");
      while (last.getEventsList().stream()
          .noneMatch(event -> event.getKey().getName().equals("streamed"))) {
        last = ListAndWatchResponse.parseFrom(frames.message());
      }
    }
    assertThat(last.getResumeToken().isEmpty()).isFalse();
    write("resumed");
    request = request.toBuilder().setResumeToken(last.getResumeToken()).build();
    try (Frames frames = new Frames(post("ListAndWatch", frame(request)))) {
      assertThat(ListAndWatchResponse.parseFrom(frames.message()).hasOpened()).isTrue();
      while (last.getEventsList().stream()
          .noneMatch(event -> event.getKey().getName().equals("resumed"))) {
        last = ListAndWatchResponse.parseFrom(frames.message());
        assertThat(last.hasSnapshotStarted()).isFalse();
      }
    }
  }

  @Test
  void error_isInTheTrailers() throws Exception {
    byte[] request = frame(Requests.watch("no such type: 100%").build());
    try (Frames frames = new Frames(post("ListAndWatch", request))) {
      Map<String, String> trailers = frames.trailers();
      assertThat(trailers)
          .containsEntry("grpc-status", "5")
          .containsEntry("watchgate-reason", "TYPE_UNKNOWN")
          .containsEntry("watchgate-action", "STOP");
      assertThat(trailers.get("grpc-message")).contains("100%25");
      Status status =
          Status.parseFrom(Base64.getDecoder().decode(trailers.get("grpc-status-details-bin")));
      assertThat(status.getCode()).isEqualTo(5);
      assertThat(status.getDetailsCount()).isPositive();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ListObjects  | 00           | 13 | it is empty, or ends early
          ListObjects  | 0000000005aa | 13 | its message ends early
          ListObjects  | 0000000000aa | 13 | bytes follow its message
          ListObjects  | 0100000000   | 12 | compressed
          ListObjects  | 0000000001ff | 3  | not a message of the contract
          NoSuchMethod | 0000000000   | 12 | the contract has no method
          """)
  void wrongBody_isAnErrorOfGrpc(String method, String hex, String code, String sentence)
      throws Exception {
    byte[] body = java.util.HexFormat.of().parseHex(hex);
    try (Frames frames = new Frames(post(method, body))) {
      Map<String, String> trailers = frames.trailers();
      assertThat(trailers).containsEntry("grpc-status", code);
      assertThat(trailers.get("grpc-message")).contains(sentence);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {(64 << 10) + 1, 1 << 20, 8 << 20})
  void tooLargeMessage_isRefused(int length) throws Exception {
    byte[] body = ByteBuffer.allocate(5 + length).putInt(1, length).array();
    try (Frames frames = new Frames(post("ListAndWatch", body))) {
      assertThat(frames.trailers()).containsEntry("watchgate-reason", "TOO_COMPLEX");
    }
  }

  /** A client that reads only after it has sent its body loses the answer with a reset. */
  @Test
  void tooLargeMessage_sentWhole_isRefused() throws Exception {
    int length = 8 << 20;
    byte[] body = ByteBuffer.allocate(5 + length).putInt(1, length).array();
    String head =
        "POST /watchgate.v1.WatchService/ListAndWatch HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Type: application/grpc-web+proto\r\nConnection: close\r\n"
            + "Content-Length: %d\r\n\r\n".formatted(body.length);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.kubePort())) {
      socket.setSoTimeout((int) EventReader.LIMIT.toMillis());
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(body);
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
          .contains("TOO_COMPLEX");
    }
  }

  /** Sends a request without the end of its body. */
  private static Socket unfinished(GatewayUnderTest to) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), to.kubePort());
    String head =
        """
        POST /watchgate.v1.WatchService/ListAndWatch HTTP/1.1
        Host: localhost
        Content-Type: application/grpc-web+proto
        Content-Length: 60000

        """
            .replace("\n", "\r\n");
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** A client with a pool would send its next request on a connection that ends unannounced. */
  @ParameterizedTest
  @CsvSource({
    "https://elsewhere.example, application/grpc-web+proto, 403",
    "'', application/json, 415",
  })
  void refusalBeforeTheBody_saysThatTheConnectionCloses(String origin, String type, int code)
      throws Exception {
    String head =
        "POST /watchgate.v1.WatchService/ListResourceTypes HTTP/1.1\r\nHost: localhost\r\n"
            + (origin.isEmpty() ? "" : "Origin: " + origin + "\r\n")
            + "Content-Type: %s\r\nContent-Length: 5\r\n\r\n".formatted(type);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.kubePort())) {
      socket.setSoTimeout((int) EventReader.LIMIT.toMillis());
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
          .startsWith("HTTP/1.1 " + code)
          .contains("Connection: close\r\n");
    }
  }

  /** Each byte restarts the idle timeout: only a limit of the whole body ends the request. */
  @Test
  void bodyThatArrivesByteByByte_isGivenUp(Apiserver apiserver) throws Exception {
    BrowserSettings soon = BrowserSettings.DEFAULTS.withBodyTimeout(Duration.ofSeconds(1));
    try (GatewayUnderTest impatient = gateway(apiserver, soon);
        Socket socket = unfinished(impatient)) {
      socket.setSoTimeout(50);
      await()
          .atMost(EventReader.LIMIT)
          .pollDelay(Duration.ZERO)
          .until(
              () -> {
                try {
                  socket.getOutputStream().write(0);
                  return socket.getInputStream().read() < 0;
                } catch (SocketTimeoutException e) {
                  return false;
                } catch (SocketException e) {
                  return true;
                }
              });
      // On a busy machine a good body may take longer than that, too.
      byte[] good = frame(ListResourceTypesRequest.getDefaultInstance());
      await()
          .atMost(EventReader.LIMIT)
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(
              () -> text(post(impatient, "ListResourceTypes", good)).contains("grpc-status:0\r\n"));
    }
  }

  private static String text(HttpResponse<InputStream> response) throws IOException {
    try (InputStream body = response.body()) {
      return new String(body.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void unfinishedBodiesOfAnAddress_leaveRoomForOthers(Apiserver apiserver) throws Exception {
    BrowserSettings four =
        BrowserSettings.DEFAULTS.withMaxStreams(4).withBodyTimeout(EventReader.LIMIT);
    byte[] body = frame(ListResourceTypesRequest.getDefaultInstance());
    try (GatewayUnderTest small = gateway(apiserver, four)) {
      try (Socket _ = unfinished(small)) {
        await()
            .atMost(EventReader.LIMIT)
            .until(
                () -> text(post(small, "ListResourceTypes", body)).contains("grpc-status:8\r\n"));
      }
      await()
          .atMost(EventReader.LIMIT)
          .until(() -> text(post(small, "ListResourceTypes", body)).contains("grpc-status:0\r\n"));
    }
  }

  @Test
  void largeCompressedMessage_isRefused() throws Exception {
    int length = 1 << 20;
    byte[] body = ByteBuffer.allocate(5 + length).put((byte) 1).putInt(length).array();
    try (Frames frames = new Frames(post("ListAndWatch", body))) {
      assertThat(frames.trailers()).containsEntry("grpc-status", "12");
    }
  }

  @Test
  void otherContentTypesAndOrigins_areRefused() throws Exception {
    byte[] body = frame(ListResourceTypesRequest.getDefaultInstance());
    HttpResponse<InputStream> refused =
        post("ListResourceTypes", body, "Origin", "https://elsewhere.example");
    HttpResponse<InputStream> allowed = post("ListResourceTypes", body, "Origin", ORIGIN);
    // The client cannot be closed while a body is not read.
    try (InputStream _ = refused.body();
        InputStream _ = allowed.body()) {
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(allowed.statusCode()).isEqualTo(200);
      assertThat(allowed.headers().firstValue("access-control-allow-origin")).contains(ORIGIN);
    }
    for (String type : new String[] {"application/grpc-web-text", "application/json"}) {
      HttpRequest other =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://127.0.0.1:"
                          + gateway.kubePort()
                          + "/watchgate.v1.WatchService/ListResourceTypes"))
              .header("Content-Type", type)
              .POST(HttpRequest.BodyPublishers.ofByteArray(body))
              .build();
      assertThat(http.send(other, HttpResponse.BodyHandlers.discarding()).statusCode())
          .isEqualTo(415);
    }
  }

  /** A page can read from a server on loopback under a name that resolves to this machine. */
  @ParameterizedTest
  @CsvSource({
    "/api/v1/configmaps, evil.example, 403",
    "/api/v1/configmaps, localhost.evil.example, 403",
    "/api/v1/configmaps, 127.0.0.1.evil.example, 403",
    "/v1/watch?resource=no-such-type, evil.example, 403",
    "/v1/watch?resource=no-such-type, localhost, 404",
    "/api/v1/configmaps?limit=1, localhost, 200",
    "/api/v1/configmaps?limit=1, [::1], 200",
    "/api/v1/configmaps?limit=1, 127.0.0.1, 200"
  })
  void hostOfAnotherSite_isRefused(String path, String host, String code) throws Exception {
    String origin = "http://" + host + ":" + gateway.kubePort();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.kubePort())) {
      socket.setSoTimeout((int) EventReader.LIMIT.toMillis());
      String request =
          "GET %s HTTP/1.1\r\nHost: %s:%d\r\nOrigin: %s\r\nConnection: close\r\n\r\n"
              .formatted(path, host, gateway.kubePort(), origin);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      String refusal = "the host of a request must be localhost or an address";
      if (code.equals("200")) {
        // A busy gateway may relay the request, and the apiserver refuses one without credentials.
        assertThat(answer).startsWith("HTTP/1.1 ").doesNotContain(refusal);
        return;
      }
      assertThat(answer).startsWith("HTTP/1.1 " + code + " ");
      if (code.equals("403")) {
        assertThat(answer).contains(refusal);
      }
    }
  }
}
