package io.watchgate.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of one gateway address, over one connection that all its watches share. Thread-safe. Its
 * threads are daemons; {@link #close} ends them.
 */
public final class WatchClient implements AutoCloseable {
  private final ManagedChannel channel;
  private final Connection connection;
  // Never shut down: the last callbacks of cancelled calls still need it. Idle threads end by
  // themselves.
  private final Executor executor =
      Executors.newCachedThreadPool(DaemonThreads.named("watchgate-client"));
  private final SystemTimers systemTimers = new SystemTimers();
  private final Timers timers;
  private final RandomGenerator random;
  private final long maxGroupBytes;
  private final Set<WatchCall> calls = ConcurrentHashMap.newKeySet();

  private WatchClient(Builder builder) {
    channel = builder.channel != null ? builder.channel : builder.connect();
    connection = new Connection(channel);
    timers = builder.timers != null ? builder.timers : systemTimers;
    random = builder.random;
    maxGroupBytes = builder.maxGroupBytes;
  }

  /**
   * A client of the gateway at {@code host} and {@code port}, plaintext unless the builder is told
   * otherwise.
   */
  public static Builder to(String host, int port) {
    return new Builder(host, port);
  }

  /**
   * Watches until {@link WatchCall#close} or {@link WatchUpdate.Ended}. Where the request starts
   * (nothing, a token, a version, from now) holds for the first stream; the following ones start
   * from the last token. The connection is made in the background: failures come to the listener.
   */
  public WatchCall watch(ListAndWatchRequest request, WatchListener listener) {
    WatchCall call =
        new WatchCall(
            connection,
            timers,
            new SerialExecutor(executor),
            new Backoff(random),
            maxGroupBytes,
            request,
            listener,
            calls::remove);
    calls.add(call);
    call.start();
    return call;
  }

  /**
   * The resource types that can be watched, and their state.
   *
   * @throws io.grpc.StatusRuntimeException when the gateway refuses, or does not answer in time
   */
  public ListResourceTypesResponse listResourceTypes(Duration timeout) {
    return unary(timeout).listResourceTypes(ListResourceTypesRequest.getDefaultInstance());
  }

  /**
   * One page of the objects that match.
   *
   * @throws io.grpc.StatusRuntimeException when the gateway refuses, or does not answer in time
   */
  public ListObjectsResponse listObjects(ListObjectsRequest request, Duration timeout) {
    return unary(timeout).listObjects(request);
  }

  private WatchServiceGrpc.WatchServiceBlockingStub unary(Duration timeout) {
    return WatchServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Closes all watches and the connection, without waiting. May be called more than once. */
  @Override
  public void close() {
    calls.forEach(WatchCall::close);
    systemTimers.close();
    channel.shutdownNow();
  }

  /** Not thread-safe. */
  public static final class Builder {
    private static final long DEFAULT_GROUP_BYTES = 64L << 20;

    private final String host;
    private final int port;
    private ChannelCredentials credentials = InsecureChannelCredentials.create();
    private long maxGroupBytes = DEFAULT_GROUP_BYTES;
    private @Nullable Timers timers;
    private RandomGenerator random = new Random();
    private @Nullable ManagedChannel channel;

    private Builder(String host, int port) {
      if (host.isEmpty()) {
        throw new IllegalArgumentException("the host is empty");
      }
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
      }
      this.host = host;
      this.port = port;
    }

    /** TLS; the certificate must be signed by one that this JVM trusts, and name the host. */
    public Builder tls() {
      credentials = TlsChannelCredentials.create();
      return this;
    }

    /**
     * TLS; the certificate must be signed by one in the PEM file, and name the host.
     *
     * @throws IOException when the file cannot be read or holds no certificate
     */
    public Builder tls(Path certificateAuthorities) throws IOException {
      try (InputStream pem = Files.newInputStream(certificateAuthorities)) {
        // gRPC would notice only when it connects.
        if (CertificateFactory.getInstance("X.509").generateCertificates(pem).isEmpty()) {
          throw new IOException(certificateAuthorities + " holds no certificate");
        }
      } catch (CertificateException e) {
        throw new IOException(certificateAuthorities + " is no PEM file of certificates", e);
      }
      credentials =
          TlsChannelCredentials.newBuilder().trustManager(certificateAuthorities.toFile()).build();
      return this;
    }

    /**
     * The most that is held back of changes that must be applied as one, in bytes as received; at
     * least 1 MiB. Beyond it the watch takes a snapshot instead, which comes in pieces. Default 64
     * MiB, for each watch.
     */
    public Builder maxGroupBytes(long bytes) {
      if (bytes < 1 << 20) {
        throw new IllegalArgumentException("maxGroupBytes " + bytes + " is less than 1 MiB");
      }
      maxGroupBytes = bytes;
      return this;
    }

    /** For tests: instead of a channel to the address. */
    Builder channel(ManagedChannel instead) {
      channel = instead;
      return this;
    }

    /** For tests: instead of real time. */
    Builder timers(Timers instead) {
      timers = instead;
      return this;
    }

    /** For tests; must be thread-safe. */
    Builder random(RandomGenerator instead) {
      random = instead;
      return this;
    }

    public WatchClient build() {
      return new WatchClient(this);
    }

    private ManagedChannel connect() {
      return Grpc.newChannelBuilderForAddress(host, port, credentials)
          .keepAliveTime(30, TimeUnit.SECONDS)
          .keepAliveTimeout(10, TimeUnit.SECONDS)
          // A watch resumes by itself, from the right place.
          .disableRetry()
          .build();
    }
  }
}
