package io.watchgate.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says where the gateway is and how it is talked to. Not thread-safe. */
public final class WatchClientBuilder {
  private static final Pattern SERVER_NAME = Pattern.compile("[A-Za-z0-9._-]+");
  private static final long DEFAULT_GROUP_BYTES = 64L << 20;
  private static final Duration DEFAULT_FIRST_ANSWER_TIMEOUT = Duration.ofMinutes(5);

  /** Meaning of an address. */
  enum Names {
    /** A process, or what balances several. */
    AS_ONE,
    EACH_ADDRESS
  }

  private final List<HostPort> targets = new ArrayList<>();
  private final Names names;

  /** Null: plaintext. */
  private @Nullable TlsCredentials tls;

  /** Null: the certificate must name the host that is connected to. */
  private @Nullable String tlsServerName;

  /** Null: none is shown. */
  private @Nullable Supplier<String> bearer;

  private long maxGroupBytes = DEFAULT_GROUP_BYTES;
  private Duration firstAnswerTimeout = DEFAULT_FIRST_ANSWER_TIMEOUT;
  private @Nullable BiFunction<String, Integer, ManagedChannelBuilder<?>> transport;
  private @Nullable Executor executor;
  private @Nullable Scheduler timers;
  private RandomGenerator random = new Random();
  private @Nullable ManagedChannel channel;

  WatchClientBuilder(HostPort target, Names names) {
    this.targets.add(target);
    this.names = names;
  }

  /**
   * Another replica. Without balancer before them, name all.
   *
   * @throws IllegalStateException if the first was given by {@link WatchClient#toEach}
   */
  public WatchClientBuilder and(String host, int port) {
    if (names == Names.EACH_ADDRESS) {
      throw new IllegalStateException("each address of a name is a replica already");
    }
    targets.add(new HostPort(host, port));
    return this;
  }

  /** TLS; the certificate must be signed by an authority of this JVM, and name the host. */
  public WatchClientBuilder tls() {
    tls = new TlsCredentials();
    return this;
  }

  /**
   * TLS; the certificate must be signed by an authority in the PEM file, and name the host. The
   * file is read again for each connection. A replacement that cannot be used is logged, and the
   * previous content stays in use.
   *
   * @throws IOException when the file cannot be read or holds no certificate
   */
  public WatchClientBuilder tls(Path certificateAuthorities) throws IOException {
    tls = new TlsCredentials().trusting(certificateAuthorities);
    return this;
  }

  /**
   * The name that the gateway's certificate must have, in place of the host that is connected to:
   * for a port-forward to 127.0.0.1, or replicas that are named by address. It is also sent as SNI
   * and as {@code :authority}. Needs {@link #tls()} or {@link #tls(Path)}.
   *
   * @param name without port, such as {@code watchgate.watchgate.svc}
   * @throws IllegalArgumentException if it is no host name
   */
  public WatchClientBuilder tlsServerName(String name) {
    if (!SERVER_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the TLS server name '" + name + "' is no host name; give it without scheme and port");
    }
    tlsServerName = name;
    return this;
  }

  /**
   * A client certificate, shown to the gateway. After {@link #tls()} or {@link #tls(Path)}. Both
   * files are read again for each connection. A replacement that cannot be used, such as a key of
   * another certificate, is logged, and the previous pair stays in use.
   *
   * @param certificate the client's certificate, and those that lead to its authority, PEM
   * @param key its private key, PEM: RSA, EC or Ed25519 in PKCS #8, PKCS #1 or SEC 1, not encrypted
   * @throws IOException when a file cannot be read or holds no such thing
   * @throws IllegalStateException without TLS
   */
  public WatchClientBuilder identity(Path certificate, Path key) throws IOException {
    if (tls == null) {
      throw new IllegalStateException("a certificate is shown over TLS only: call tls() first");
    }
    tls = tls.showing(certificate, key);
    return this;
  }

  /**
   * Shows the gateway a bearer token with each call and each stream. Without TLS everybody on the
   * way can read it.
   *
   * @param token asked for each time, on threads of this client and the callers'; must be quick and
   *     thread-safe. What it throws fails the attempt, and the next one asks again
   */
  public WatchClientBuilder bearerToken(Supplier<String> token) {
    bearer = token;
    return this;
  }

  /**
   * The same from a file, such as one that the kubelet keeps fresh: read each time.
   *
   * @throws IOException when it cannot be read, or is empty
   */
  public WatchClientBuilder bearerTokenFile(Path file) throws IOException {
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

  /**
   * The most that is held back of changes that must be applied as one, in bytes as received; at
   * least 1 MiB. Beyond it the watch takes a snapshot instead, which comes in pieces. Default 64
   * MiB, for each watch.
   */
  public WatchClientBuilder maxGroupBytes(long bytes) {
    if (bytes < 1 << 20) {
      throw new IllegalArgumentException("maxGroupBytes " + bytes + " is less than 1 MiB");
    }
    maxGroupBytes = bytes;
    return this;
  }

  /**
   * Time for which a watch tries while only other servers answer, such as a proxy with 404 or 403,
   * and no gateway has answered this client yet; then it ends with {@link WatchUpdate.Ended}. Once
   * a gateway has answered, watches try without end. They also do where nothing answers, and where
   * the answer is UNAVAILABLE. Zero: such an answer ends a watch at once. Default: 5 min.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public WatchClientBuilder firstAnswerTimeout(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("firstAnswerTimeout " + timeout + " is negative");
    }
    firstAnswerTimeout = timeout;
    return this;
  }

  /**
   * Another transport than grpc-netty-shaded.
   *
   * @param other makes what connects to a host and a port. TLS and keepalive are its own matter;
   *     {@link #tls} then says nothing
   */
  public WatchClientBuilder transport(BiFunction<String, Integer, ManagedChannelBuilder<?>> other) {
    transport = other;
    return this;
  }

  /**
   * Threads that call listeners and handlers: as many at once as there are that have something to
   * do. Those block who wait, so that a small pool may come to a standstill. Closing the client
   * does not end it. Default: threads of its own.
   */
  public WatchClientBuilder executor(Executor instead) {
    executor = instead;
    return this;
  }

  /** For tests: instead of a channel to the address. */
  WatchClientBuilder channel(ManagedChannel instead) {
    channel = instead;
    return this;
  }

  /** For tests: instead of real time. */
  WatchClientBuilder timers(Scheduler instead) {
    timers = instead;
    return this;
  }

  /** For tests; must be thread-safe. */
  WatchClientBuilder random(RandomGenerator instead) {
    random = instead;
    return this;
  }

  /**
   * The client; it connects when it is first used.
   *
   * @throws IllegalStateException if there is a TLS server name and no TLS
   */
  public WatchClient build() {
    if (tlsServerName != null && tls == null) {
      throw new IllegalStateException("a TLS server name is of use with TLS only: call tls() too");
    }
    return new WatchClient(this);
  }

  ReplicaResolver directory() {
    List<HostPort> all = List.copyOf(targets);
    return names == Names.AS_ONE ? () -> all : ReplicaResolver.ofName(all.get(0));
  }

  ManagedChannel connect(HostPort target) {
    ManagedChannel given = channel;
    if (given != null) {
      return given;
    }
    ManagedChannelBuilder<?> builder =
        transport == null ? overNetty(target) : transport.apply(target.host(), target.port());
    builder.disableRetry(); // a watch resumes by itself, from the right place
    if (bearer != null) {
      builder.intercept(new BearerTokenInterceptor(bearer));
    }
    if (tlsServerName != null) {
      builder.overrideAuthority(tlsServerName);
    } else if (names == Names.EACH_ADDRESS) {
      builder.overrideAuthority(targets.get(0).toString()); // what certificates name
    }
    return builder.build();
  }

  private ManagedChannelBuilder<?> overNetty(HostPort target) {
    ChannelCredentials credentials =
        tls == null ? InsecureChannelCredentials.create() : tls.build();
    return Grpc.newChannelBuilderForAddress(target.host(), target.port(), credentials)
        .keepAliveTime(30, TimeUnit.SECONDS)
        .keepAliveTimeout(10, TimeUnit.SECONDS);
  }

  // ---- what the client takes of it

  @Nullable Executor executor() {
    return executor;
  }

  Scheduler timersOr(Scheduler real) {
    return timers != null ? timers : real;
  }

  RandomGenerator random() {
    return random;
  }

  long maxGroupBytes() {
    return maxGroupBytes;
  }

  Duration firstAnswerTimeout() {
    return firstAnswerTimeout;
  }
}
