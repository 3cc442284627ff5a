package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.EventType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test that replaces the certificate, the key and the client authority repeatedly under load. Open
 * streams lose nothing and stay; new connections use the current files.
 */
@Tag("slow")
final class RotationUnderLoadTest {
  private static final int CONNECTIONS = 4;
  private static final int STREAMS_EACH = 5;
  private static final int ROTATIONS = 15;
  private static final int LEAST_CHANGES = 1_000;
  private static final long LISTED = 100;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final HeldCertificate ca = TestAuthority.named("ca");
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<RawStream> streams = new ArrayList<>();
  private final AtomicLong written = new AtomicLong(LISTED);

  @AfterEach
  void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }

  private HeldCertificate server() {
    return new HeldCertificate.Builder()
        .addSubjectAlternativeName("127.0.0.1")
        .signedBy(ca)
        .build();
  }

  /** Opens a connection with some streams, of which one is returned. */
  private RawStream open(ServerFixture fixture, HeldCertificate clients) throws IOException {
    HeldCertificate client =
        new HeldCertificate.Builder().commonName("ann").signedBy(clients).build();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", fixture.server.port())
            .sslContext(
                GrpcSslContexts.forClient()
                    .trustManager(ca.certificate())
                    .keyManager(client.keyPair().getPrivate(), client.certificate())
                    .build())
            .disableRetry()
            .build();
    channels.add(channel);
    for (int i = 0; i < STREAMS_EACH; i++) {
      streams.add(RawStream.open(channel, ServerFixture.CONFIG_MAPS));
    }
    return streams.getLast();
  }

  /** Returns the changes that a stream got after its snapshot. */
  private static List<Long> changes(RawStream stream) {
    return stream.responses().stream()
        .flatMap(response -> response.getEventsList().stream())
        .filter(event -> event.getType() == EventType.EVENT_TYPE_MODIFIED)
        .map(event -> Long.parseLong(event.getResourceVersion()))
        .toList();
  }

  private static void assertAllAfter(long first, long last, RawStream stream) {
    assertThat(changes(stream)).containsExactlyElementsOf(range(first, last));
  }

  private static List<Long> range(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  @Test
  void rotation_keepsStreams_andNewClientsUseCurrentFiles(@TempDir Path folder) throws Exception {
    Path certificate = folder.resolve("tls.crt");
    Path key = folder.resolve("tls.key");
    Path authorities = folder.resolve("ca.crt");
    HeldCertificate clients = TestAuthority.named("ca");
    write(server(), certificate, key);
    Files.writeString(authorities, clients.certificatePem());
    ServerTls tls =
        new ServerTls(
            new ServerTls.Files(
                certificate,
                key,
                new ServerTls.Clients(authorities, ServerTls.Clients.Wanted.REQUIRED),
                ServerTls.MinVersion.TLS_1_3));
    try (ServerFixture fixture = ServerFixture.with(tls, SampleObject.of("default", "a", LISTED))) {
      for (int i = 0; i < CONNECTIONS; i++) {
        open(fixture, clients);
      }
      await().atMost(LIMIT).until(() -> streams.stream().allMatch(RawStream::isSynced));
      List<RawStream> there = List.copyOf(streams);
      Thread writer = Thread.ofPlatform().daemon().start(() -> writeOn(fixture));
      for (int i = 0; i < ROTATIONS; i++) {
        clients = TestAuthority.named("ca");
        write(server(), certificate, key);
        Files.writeString(authorities, clients.certificatePem());
        tls.reload();
        assertThat(tls.isRejected()).isFalse();
        RawStream newcomer = open(fixture, clients);
        await().atMost(LIMIT).until(newcomer::isSynced);
      }
      await().atMost(LIMIT).until(() -> written.get() >= LISTED + LEAST_CHANGES);
      writer.interrupt();
      writer.join();
      long last = written.get();
      await()
          .atMost(LIMIT)
          .until(() -> streams.stream().allMatch(stream -> hasReached(last, stream)));
      for (RawStream stream : there) {
        assertAllAfter(LISTED + 1, last, stream);
      }
      for (RawStream stream : streams) {
        List<Long> changes = changes(stream);
        if (!changes.isEmpty()) {
          assertAllAfter(changes.getFirst(), last, stream);
        }
        assertThat(stream.isOver()).isFalse();
      }
    }
  }

  /** A snapshot may already have contained the last change. */
  private static boolean hasReached(long last, RawStream stream) {
    return stream.last().getResourceVersion().equals(Long.toString(last));
  }

  private static void write(HeldCertificate held, Path certificate, Path key) throws IOException {
    Files.writeString(certificate, held.certificatePem());
    Files.writeString(key, held.privateKeyPkcs8Pem());
  }

  /** Writes in bursts of ten, until the thread is interrupted. */
  private void writeOn(ServerFixture fixture) {
    try {
      while (!Thread.interrupted()) {
        for (int i = 0; i < 10; i++) {
          fixture.cluster.put(SampleObject.of("default", "a", written.get() + 1));
          written.incrementAndGet();
        }
        Thread.sleep(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
