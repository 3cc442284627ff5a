package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutSettings;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.SocketFactory;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the watches of one HTTP/2 connection, as its client receives them. */
@Timeout(300)
@Tag("slow")
final class WriteBatchTest {
  private static final int WATCHES = 60;

  private final TestCatalog catalog = new TestCatalog();
  private final ObservedSocket socket = ObservedSocket.create();
  private final List<Response> watches = new ArrayList<>();

  /** Of connections of their own. */
  private final List<Response> others = new ArrayList<>();

  private final AtomicLong unsentBytes = new AtomicLong();

  private HttpServer server;
  private OkHttpClient client;
  private OkHttpClient trusting;

  @BeforeEach
  void start(@TempDir Path dir) throws IOException {
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    HandshakeCertificates trusted =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(certificate.certificate())
            .build();
    server =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new TlsFiles(
                Files.writeString(dir.resolve("tls.crt"), certificate.certificatePem()),
                Files.writeString(dir.resolve("tls.key"), certificate.privateKeyPkcs8Pem())),
            catalog,
            null,
            TimeSource.SYSTEM,
            TestServer.SETTINGS,
            FanoutSettings.DEFAULTS,
            unsentBytes::addAndGet);
    server.start();
    trusting =
        new OkHttpClient.Builder()
            .protocols(List.of(Protocol.HTTP_2, Protocol.HTTP_1_1))
            .sslSocketFactory(trusted.sslSocketFactory(), trusted.trustManager())
            .readTimeout(TestServer.LIMIT)
            .build();
    client =
        trusting
            .newBuilder()
            .connectionPool(new ConnectionPool())
            .socketFactory(new OneSocketFactory())
            .build();
    for (int i = 0; i < WATCHES; i++) {
      watches.add(watch(client));
    }
  }

  private Response watch(OkHttpClient by) throws IOException {
    String url = "https://127.0.0.1:" + server.port() + "/api/v1/configmaps?watch=1";
    Response watch = by.newCall(new Request.Builder().url(url).build()).execute();
    assertThat(watch.protocol()).isEqualTo(Protocol.HTTP_2);
    return watch;
  }

  @AfterEach
  void close() {
    socket.resume();
    watches.forEach(Response::close);
    others.forEach(Response::close);
    server.close();
    client.connectionPool().evictAll();
  }

  private String put(boolean first) {
    return put(first, 1_000);
  }

  private String put(boolean first, int bytes) {
    TestObject map =
        catalog.put(
            TestCatalog.CONFIG_MAPS,
            TestObject.of("a", "c1").with(",\"data\":{\"k\":\"" + "v".repeat(bytes) + "\"}"));
    return TestWatch.frame(first ? "ADDED" : "MODIFIED", map.json(TestCatalog.CONFIG_MAPS));
  }

  @Test
  void eventOfManyWatches_takesFewRecords() throws IOException {
    String first = put(true);
    for (Response watch : watches) {
      assertThat(watch.body().source().readUtf8Line()).isEqualTo(first);
    }
    int before = socket.records();
    String second = put(false);
    for (Response watch : watches) {
      assertThat(watch.body().source().readUtf8Line()).isEqualTo(second);
    }
    assertThat(socket.records() - before).isBetween(1, WATCHES / 4);
  }

  @Test
  void largeEventOfManyWatches_isSentInParts() throws IOException {
    String event = put(true, 30_000);
    for (Response watch : watches) {
      assertThat(watch.body().source().readUtf8Line()).isEqualTo(event);
    }
  }

  /**
   * Its socket is full meanwhile, so that a write waits until the buffer before it has left. The
   * events are written one after the other, as a watch of each loop has them: together they would
   * be too large for a buffer.
   */
  @Test
  void connectionThatIsReadLate_hasAllEventsInOrder() throws Exception {
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      others.add(watch(trusting.newBuilder().connectionPool(new ConnectionPool()).build()));
    }
    socket.pause();
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      sent.add(put(i == 0));
      for (Response other : others) {
        assertThat(other.body().source().readUtf8Line()).isEqualTo(sent.getLast());
      }
    }
    assertThat(unsentBytes.get()).isBetween(1L, (1L + others.size()) * (32 << 10));
    socket.resume();
    for (Response watch : watches) {
      for (String frame : sent) {
        assertThat(watch.body().source().readUtf8Line()).isEqualTo(frame);
      }
    }
    await().untilAsserted(() -> assertThat(unsentBytes).hasValue(0));
  }

  private final class OneSocketFactory extends SocketFactory {
    @Override
    public Socket createSocket() {
      return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }
  }

  /** Socket that counts the TLS records that it receives, and can stop receiving. */
  private static final class ObservedSocket extends Socket {
    private static final int HEADER = 5;

    private final ReentrantLock reading = new ReentrantLock();
    private final AtomicInteger records = new AtomicInteger();
    private int headerBytes;
    private int length;
    private int payloadLeft;

    /** With a small window, so that the sender has to wait soon. */
    static ObservedSocket create() {
      try {
        ObservedSocket socket = new ObservedSocket();
        socket.setReceiveBufferSize(64 << 10);
        return socket;
      } catch (SocketException e) {
        throw new UncheckedIOException(e);
      }
    }

    void pause() {
      reading.lock();
    }

    void resume() {
      if (reading.isHeldByCurrentThread()) {
        reading.unlock();
      }
    }

    int records() {
      return records.get();
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read(byte[] to, int from, int size) throws IOException {
          int read = super.read(to, from, size);
          reading.lock(); // only after a read, which may have begun before the pause
          try {
            for (int i = from; i < from + read; i++) {
              count(to[i]);
            }
          } finally {
            reading.unlock();
          }
          return read;
        }
      };
    }

    private void count(byte next) {
      if (payloadLeft > 0) {
        payloadLeft--;
        return;
      }
      headerBytes++;
      if (headerBytes > 3) { // after the type and the version
        length = (length << 8) | (next & 0xff);
      }
      if (headerBytes == HEADER) {
        records.incrementAndGet();
        payloadLeft = length;
        length = 0;
        headerBytes = 0;
      }
    }
  }
}
