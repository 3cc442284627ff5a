package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.cache.SampleObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a connection that is abused is closed, without effect on other connections. */
final class HostileConnectionsTest {
  private static final String METHOD = "watchgate.v1.WatchService/ListAndWatch";

  /** Many times the limit of a window. */
  private static final int RESETS = 100_000;

  /** Headers of half a mebibyte each: more than the limit for any number of event loops. */
  private static final int HALF_HEADERS = 48 * Runtime.getRuntime().availableProcessors();

  private final ServerFixture fixture = new ServerFixture();
  private final RawStream other = RawStream.open(fixture.connect(), CONFIG_MAPS);

  private long version = 100;

  @BeforeEach
  void open() {
    await().until(other::isSynced);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void assertOnlyTheOtherIsServed() {
    await().untilAsserted(() -> assertThat(fixture.places.usedSlots()).isOne());
    assertOthersAreServed();
  }

  private void assertOthersAreServed() {
    int before = other.bytes().size();
    fixture.cluster.put(SampleObject.of("n", "a", ++version));
    await().until(() -> other.bytes().size() > before);
    RawStream next = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(next::isSynced);
  }

  @Tag("slow")
  @Test
  void rapidResets_closeTheConnection() throws IOException {
    try (HalfSender client = new HalfSender(fixture.server.port())) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < RESETS; i++) {
                  client.reset(client.begin(METHOD, 0));
                }
              })
          .isInstanceOf(IOException.class);
    }
    assertOnlyTheOtherIsServed();
    assertThat(fixture.server.connectionsReset()).isOne();
  }

  /** Their memory counts as that of incomplete requests, of which the oldest are ended. */
  @Tag("slow")
  @Test
  void unfinishedHeaders_holdNoMoreThanIncompleteRequestsMay() throws IOException {
    List<HalfSender> senders = new ArrayList<>();
    try {
      for (int i = 0; i < HALF_HEADERS; i++) {
        HalfSender sender = new HalfSender(fixture.server.port());
        senders.add(sender);
        sender.beginWithoutEnd(METHOD, 1 << 19);
      }
      await().until(() -> fixture.server.connections() < HALF_HEADERS);
      // A frame is counted before a request is refused for it, so the limit is exceeded meanwhile.
      await()
          .untilAsserted(
              () ->
                  assertThat(fixture.server.incompleteBytes())
                      .isPositive()
                      .isLessThanOrEqualTo(fixture.server.incompleteBytesLimit()));
      assertOnlyTheOtherIsServed();
    } finally {
      for (HalfSender sender : senders) {
        sender.close();
      }
    }
    await().untilAsserted(() -> assertThat(fixture.server.incompleteBytes()).isZero());
  }

  /** No method gets such a stream: its path is missing, or its headers are not HTTP/2's. */
  @Tag("slow")
  @Test
  void resetsOfStreamsThatNoMethodSees_endTheConnection() throws IOException {
    try (HalfSender client = new HalfSender(fixture.server.port())) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < RESETS; i++) {
                  client.beginBroken(METHOD);
                }
              })
          .isInstanceOf(IOException.class);
    }
    assertOnlyTheOtherIsServed();
    assertThat(fixture.server.connectionsReset()).isOne();
  }

  /** The status of a refused call needs no window, so it is sent although the client reads none. */
  @Tag("slow")
  @Test
  void unreadRefusals_pauseTheConnectionUntilTheyAreRead() throws Exception {
    Socket narrow = new Socket();
    narrow.setReceiveBufferSize(1 << 12);
    narrow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), fixture.server.port()));
    try (HalfSender client = new HalfSender(narrow)) {
      AtomicBoolean enough = new AtomicBoolean();
      AtomicLong names = new AtomicLong();
      Thread sender =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      while (!enough.get()) {
                        client.ask(
                            "no.such.Service/%0100d".formatted(names.incrementAndGet()),
                            new byte[0]);
                      }
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      await().until(() -> fixture.server.connectionsPaused() == 1);
      await()
          .until(
              () -> {
                long asked = names.get();
                assertOthersAreServed();
                return names.get() == asked; // the sockets are full
              });

      enough.set(true);
      while (fixture.server.connectionsPaused() > 0) {
        var _ = client.awaitEnd();
      }
      sender.join();
    }
    assertOthersAreServed();
  }

  @Tag("slow")
  @Test
  void resetsOverTls_endTheConnection(@TempDir Path folder) throws IOException {
    HeldCertificate held =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    ServerTls tls = TlsHandshake.server(held, folder);
    try (ServerFixture encrypted = ServerFixture.with(tls);
        HalfSender client =
            new HalfSender(new TlsHandshake(held, null).connect(encrypted.server.port()))) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < RESETS; i++) {
                  client.beginBroken(METHOD);
                }
              })
          .isInstanceOf(IOException.class);
      assertThat(encrypted.server.connectionsReset()).isOne();
    }
  }

  @Tag("slow")
  @Test
  void headersWithoutEnd_closeTheConnection() throws IOException {
    try (HalfSender client = new HalfSender(fixture.server.port())) {
      assertThatThrownBy(() -> client.beginWithoutEnd(METHOD)).isInstanceOf(IOException.class);
    }
    assertOnlyTheOtherIsServed();
  }

  @Test
  void oneMebibyteOfMetadata_isRefused() throws Exception {
    ManagedChannel channel = fixture.connect();
    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of("x-large", Metadata.ASCII_STRING_MARSHALLER), "y".repeat(1 << 20));
    CompletableFuture<Status> end = new CompletableFuture<>();
    ClientCall<byte[], byte[]> call =
        channel.newCall(RawStream.LIST_AND_WATCH, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        metadata);
    call.halfClose();

    assertThat(end.get().isOk()).isFalse();
    assertOnlyTheOtherIsServed();
  }
}
