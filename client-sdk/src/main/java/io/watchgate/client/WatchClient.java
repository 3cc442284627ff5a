package io.watchgate.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of a gateway, over one connection to each of its replicas, which all watches share.
 * Thread-safe. Its threads are daemons; {@link #close} ends them.
 *
 * <p>With several addresses, or a name with several ({@link #toEach}), streams go round the
 * replicas; one that ends, or that has come to be behind, is left for another, with the last token.
 */
public final class WatchClient implements AutoCloseable {
  private static final int CLOSING_SECONDS = 5;

  private final Replicas replicas;
  private final Executor executor;

  /** The same, if it is this client's own. */
  private final @Nullable ClientThreads threads;

  private final SystemTimers systemTimers = new SystemTimers();
  private final Timers timers;
  private final RandomGenerator random;
  private final long maxGroupBytes;
  private final AttemptBudget budget;

  /** Where the last call was that is no watch. */
  private volatile @Nullable Replica home;

  private final Set<WatchCall> calls = ConcurrentHashMap.newKeySet();

  private WatchClient(Builder builder) {
    Executor given = builder.executor;
    threads = given == null ? new ClientThreads() : null;
    executor = threads == null ? Objects.requireNonNull(given) : threads;
    timers = builder.timers != null ? builder.timers : systemTimers;
    random = builder.random;
    replicas = new Replicas(builder.directory(), builder::connect, timers, random);
    budget = new AttemptBudget(timers);
    maxGroupBytes = builder.maxGroupBytes;
  }

  /**
   * A client of the gateway at {@code host} and {@code port}, plaintext unless the builder is told
   * otherwise.
   */
  public static Builder to(String host, int port) {
    return new Builder(new Target(host, port), Names.AS_ONE);
  }

  /**
   * A client of all replicas that a name leads to, each of its addresses being one: that of a
   * headless Service. It is looked up anew as replicas come and go, every 10 s at most; the JDK
   * remembers what it found for 30 s, unless the security property {@code networkaddress.cache.ttl}
   * says otherwise. TLS certificates have to name it.
   */
  public static Builder toEach(String name, int port) {
    return new Builder(new Target(name, port), Names.EACH_ADDRESS);
  }

  /** What an address stands for. */
  private enum Names {
    /** A process, or what balances several. */
    AS_ONE,
    EACH_ADDRESS
  }

  /**
   * Watches until {@link WatchCall#close} or {@link WatchUpdate.Ended}. Where the request starts
   * (nothing, a token, a version, from now) holds for the first stream; the following ones start
   * from the last token. The connection is made in the background: failures come to the listener.
   */
  public WatchCall watch(ListAndWatchRequest request, WatchListener listener) {
    WatchCall call =
        new WatchCall(
            replicas,
            timers,
            new SerialExecutor(executor),
            new Backoff(random, Backoff.BASE),
            budget,
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
   * @throws io.grpc.StatusRuntimeException when the gateway refuses, or does not answer in time, or
   *     its name leads nowhere
   */
  public ListResourceTypesResponse listResourceTypes(Duration timeout) {
    return unary(
        timeout, stub -> stub.listResourceTypes(ListResourceTypesRequest.getDefaultInstance()));
  }

  /**
   * One page of the objects that match.
   *
   * @throws io.grpc.StatusRuntimeException when the gateway refuses, or does not answer in time, or
   *     its name leads nowhere
   */
  public ListObjectsResponse listObjects(ListObjectsRequest request, Duration timeout) {
    return unary(timeout, stub -> stub.listObjects(request));
  }

  /**
   * At the replica of the call before, since pages of a list are its own; where that does not
   * answer, at another, once.
   */
  private <T> T unary(
      Duration timeout, Function<WatchServiceGrpc.WatchServiceBlockingStub, T> call) {
    Replica at = chosen(home, null);
    home = at;
    try {
      return call.apply(stub(at, timeout));
    } catch (StatusRuntimeException e) {
      Interruption cause = new Interruption.Failed(WatchError.of(e));
      if (e.getStatus().getCode() != Status.Code.UNAVAILABLE || !replicas.interrupted(at, cause)) {
        throw e;
      }
      Replica other = chosen(null, at);
      home = other;
      return call.apply(stub(other, timeout));
    }
  }

  private Replica chosen(@Nullable Replica last, @Nullable Replica left) {
    try {
      return last != null && replicas.isGood(last) ? last : replicas.choose(left);
    } catch (UnknownHostException e) {
      throw Status.UNAVAILABLE
          .withDescription(WatchError.unknownHost(e).message())
          .withCause(e)
          .asRuntimeException();
    } catch (IllegalStateException e) {
      throw Status.UNAVAILABLE.withDescription(e.getMessage()).asRuntimeException();
    }
  }

  private static WatchServiceGrpc.WatchServiceBlockingStub stub(Replica at, Duration timeout) {
    return WatchServiceGrpc.newBlockingStub(at.channel())
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Where listeners are called, and the handlers of informers: as many threads as there are of
   * those that have something to do at a time, or what {@link Builder#executor} gave.
   */
  public Executor executor() {
    return executor;
  }

  /**
   * Closes all watches and connections. Waits until its threads have ended, for {@value
   * #CLOSING_SECONDS} s at most, unless one of them calls this, or is interrupted. May be called
   * more than once.
   */
  @Override
  public void close() {
    calls.forEach(WatchCall::close);
    systemTimers.close();
    replicas.close();
    ClientThreads own = threads;
    if (own != null && !own.isOne(Thread.currentThread())) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSING_SECONDS);
      try {
        replicas.awaitEnd(deadline); // the last callbacks need the threads
        own.end(deadline);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Not thread-safe. */
  public static final class Builder {
    private static final String PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----";
    private static final long DEFAULT_GROUP_BYTES = 64L << 20;

    private final List<Target> targets = new ArrayList<>();
    private final Names names;

    /** Null: plaintext. */
    private TlsChannelCredentials.@Nullable Builder tls;

    /** Null: none is shown. */
    private @Nullable Supplier<String> bearer;

    private long maxGroupBytes = DEFAULT_GROUP_BYTES;
    private @Nullable BiFunction<String, Integer, ManagedChannelBuilder<?>> transport;
    private @Nullable Executor executor;
    private @Nullable Timers timers;
    private RandomGenerator random = new Random();
    private @Nullable ManagedChannel channel;

    private Builder(Target target, Names names) {
      this.targets.add(target);
      this.names = names;
    }

    /**
     * Another replica. Without balancer before them, name all.
     *
     * @throws IllegalStateException if the first was given by {@link WatchClient#toEach}
     */
    public Builder and(String host, int port) {
      if (names == Names.EACH_ADDRESS) {
        throw new IllegalStateException("each address of a name is a replica already");
      }
      targets.add(new Target(host, port));
      return this;
    }

    /** TLS; the certificate must be signed by one that this JVM trusts, and name the host. */
    public Builder tls() {
      tls = TlsChannelCredentials.newBuilder();
      return this;
    }

    /**
     * TLS; the certificate must be signed by one in the PEM file, and name the host.
     *
     * @throws IOException when the file cannot be read or holds no certificate
     */
    public Builder tls(Path certificateAuthorities) throws IOException {
      requireCertificates(certificateAuthorities);
      tls = TlsChannelCredentials.newBuilder().trustManager(certificateAuthorities.toFile());
      return this;
    }

    /**
     * Shows the gateway who we are. After {@link #tls()} or {@link #tls(Path)}.
     *
     * @param certificate our certificate, and those that lead to its authority, PEM
     * @param key its private key, PEM, PKCS#8, not encrypted
     * @throws IOException when a file cannot be read or holds no such thing
     * @throws IllegalStateException without TLS
     */
    public Builder identity(Path certificate, Path key) throws IOException {
      if (tls == null) {
        throw new IllegalStateException("a certificate is shown over TLS only: call tls() first");
      }
      requireCertificates(certificate);
      if (!Files.readString(key, StandardCharsets.ISO_8859_1).contains(PRIVATE_KEY)) {
        throw new IOException(key + " holds no private key of the form PKCS#8");
      }
      tls.keyManager(certificate.toFile(), key.toFile());
      return this;
    }

    /**
     * Shows the gateway a bearer token with each call and each stream. Without TLS everybody on the
     * way can read it.
     *
     * @param token asked for each time, on threads of this client and the callers'; must be quick
     *     and thread-safe. What it throws fails the attempt, and the next one asks again
     */
    public Builder bearerToken(Supplier<String> token) {
      bearer = token;
      return this;
    }

    /**
     * The same from a file, such as one that the kubelet keeps fresh: read each time.
     *
     * @throws IOException when it cannot be read, or is empty
     */
    public Builder bearerTokenFile(Path file) throws IOException {
      requireToken(file);
      return bearerToken(
          () -> {
            try {
              return requireToken(file);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }

    /** One that is being written may be empty: shown, it would be refused for good. */
    private static String requireToken(Path file) throws IOException {
      String token = Files.readString(file).strip();
      if (token.isEmpty()) {
        throw new IOException(file + " holds no token");
      }
      return token;
    }

    /** gRPC would notice only when it connects. */
    private static void requireCertificates(Path file) throws IOException {
      try (InputStream pem = Files.newInputStream(file)) {
        if (CertificateFactory.getInstance("X.509").generateCertificates(pem).isEmpty()) {
          throw new IOException(file + " holds no certificate");
        }
      } catch (CertificateException e) {
        throw new IOException(file + " is no PEM file of certificates", e);
      }
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

    /**
     * Another transport than grpc-netty-shaded.
     *
     * @param other makes what connects to a host and a port. TLS and keepalive are its own matter;
     *     {@link #tls} then says nothing
     */
    public Builder transport(BiFunction<String, Integer, ManagedChannelBuilder<?>> other) {
      transport = other;
      return this;
    }

    /**
     * Where listeners and handlers are called: as many at once as there are that have something to
     * do. Those block who wait, so that a small pool may come to a standstill. Closing the client
     * does not end it. Default: threads of its own.
     */
    public Builder executor(Executor instead) {
      executor = instead;
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

    private Directory directory() {
      List<Target> all = List.copyOf(targets);
      return names == Names.AS_ONE ? () -> all : Directory.ofName(all.get(0));
    }

    private ManagedChannel connect(Target target) {
      ManagedChannel given = channel;
      if (given != null) {
        return given;
      }
      ManagedChannelBuilder<?> builder =
          transport == null ? overNetty(target) : transport.apply(target.host(), target.port());
      builder.disableRetry(); // a watch resumes by itself, from the right place
      if (bearer != null) {
        builder.intercept(new BearerToken(bearer));
      }
      if (names == Names.EACH_ADDRESS) {
        builder.overrideAuthority(targets.get(0).toString()); // what certificates name
      }
      return builder.build();
    }

    private ManagedChannelBuilder<?> overNetty(Target target) {
      ChannelCredentials credentials =
          tls == null ? InsecureChannelCredentials.create() : tls.build();
      return Grpc.newChannelBuilderForAddress(target.host(), target.port(), credentials)
          .keepAliveTime(30, TimeUnit.SECONDS)
          .keepAliveTimeout(10, TimeUnit.SECONDS);
    }
  }
}
