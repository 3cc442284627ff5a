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

/** Builder of a {@link WatchClient}: addresses, TLS, authentication and limits. Not thread-safe. */
public final class WatchClientBuilder {
  private static final Pattern SERVER_NAME = Pattern.compile("[A-Za-z0-9._-]+");
  private static final long DEFAULT_GROUP_BYTES = 64L << 20;

  /** Silence of the gateway after which the client sends a ping. */
  private static final int KEEPALIVE_SECONDS = 30;

  /** Time without an answer to a ping after which the connection is closed. */
  private static final int KEEPALIVE_TIMEOUT_SECONDS = 10;

  private static final Duration DEFAULT_FIRST_ANSWER_TIMEOUT = Duration.ofMinutes(5);

  /** Meaning of an address. */
  enum Names {
    /** One process, or a load balancer in front of several. */
    AS_ONE,
    EACH_ADDRESS
  }

  private final List<HostPort> targets = new ArrayList<>();
  private final Names names;

  /** Null: plaintext. */
  private @Nullable TlsCredentials tls;

  /** Null: the certificate must contain the host of the connection. */
  private @Nullable String tlsServerName;

  /** Null: no token is sent. */
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
   * Adds another replica. Without a load balancer in front of the replicas, add all of them.
   *
   * @throws IllegalStateException if the first address was given by {@link WatchClient#toEach}
   */
  public WatchClientBuilder and(String host, int port) {
    if (names == Names.EACH_ADDRESS) {
      throw new IllegalStateException("each address of a name is a replica already");
    }
    targets.add(new HostPort(host, port));
    return this;
  }

  /** Uses TLS. The certificate must be signed by an authority of this JVM and contain the host. */
  public WatchClientBuilder tls() {
    tls = new TlsCredentials();
    return this;
  }

  /**
   * Uses TLS. The certificate must be signed by an authority in the PEM file and contain the host.
   * The file is read again for each connection. If a replacement cannot be used, the problem is
   * logged and the previous content stays in use.
   *
   * @throws IOException if the file cannot be read or holds no certificate
   */
  public WatchClientBuilder tls(Path certificateAuthorities) throws IOException {
    tls = new TlsCredentials().trustedAuthorities(certificateAuthorities);
    return this;
  }

  /** Uses TLS with these authorities and this client certificate. */
  public WatchClientBuilder tls(TlsCredentials credentials) {
    tls = credentials;
    return this;
  }

  /**
   * Sets the name that the gateway's certificate must contain, instead of the host of the
   * connection: for a port-forward to 127.0.0.1, or for replicas that are addressed by IP. The name
   * is also sent as SNI and as {@code :authority}. Needs {@link #tls()} or {@link #tls(Path)}.
   *
   * @param name without port, such as {@code watchgate.watchgate.svc}
   * @throws IllegalArgumentException if it is not a host name
   */
  public WatchClientBuilder tlsServerName(String name) {
    if (!SERVER_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the TLS server name '" + name + "' is not a host name; give it without scheme and port");
    }
    tlsServerName = name;
    return this;
  }

  /**
   * Sends a client certificate to the gateway. Call {@link #tls()} or {@link #tls(Path)} first.
   * Both files are read again for each connection. If a replacement cannot be used, such as a key
   * of another certificate, the problem is logged and the previous pair stays in use.
   *
   * @param certificate the client's certificate and the certificates of its chain, PEM
   * @param key its private key, PEM: RSA, EC or Ed25519 in PKCS #8, PKCS #1 or SEC 1, not encrypted
   * @throws IOException if a file cannot be read or holds no certificate or key
   * @throws IllegalStateException without TLS
   */
  public WatchClientBuilder clientCertificate(Path certificate, Path key) throws IOException {
    if (tls == null) {
      throw new IllegalStateException("a client certificate needs TLS: call tls() first");
    }
    tls = tls.clientCertificate(certificate, key);
    return this;
  }

  /**
   * Sends a bearer token with each call and each stream. Without TLS the token is readable on the
   * network.
   *
   * @param token called for each attempt, on threads of this client and of its callers; must be
   *     quick and thread-safe. If it throws, the attempt fails, and the next attempt calls it again
   */
  public WatchClientBuilder bearerToken(Supplier<String> token) {
    bearer = token;
    return this;
  }

  /**
   * Sends a bearer token from a file, such as a file that the kubelet keeps up to date. The file is
   * read for each attempt.
   *
   * @throws IOException if the file cannot be read or is empty
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

  /**
   * Reads the token. A file that is being written may be empty; an empty token would be refused
   * permanently.
   */
  private static String requireToken(Path file) throws IOException {
    String token = Files.readString(file).strip();
    if (token.isEmpty()) {
      throw new IOException(file + " holds no token");
    }
    return token;
  }

  /**
   * Sets the limit of buffered changes that must be applied together, in bytes as received; at
   * least 1 MiB. Above the limit the watch takes a snapshot instead, which arrives in parts.
   * Default: 64 MiB for each watch.
   */
  public WatchClientBuilder maxGroupBytes(long bytes) {
    if (bytes < 1 << 20) {
      throw new IllegalArgumentException("maxGroupBytes " + bytes + " is less than 1 MiB");
    }
    maxGroupBytes = bytes;
    return this;
  }

  /**
   * Sets how long a watch retries while no gateway has answered this client yet and only other
   * servers answer, such as a proxy with 404 or 403. Then the watch ends with {@link
   * WatchUpdate.Ended}. Once a gateway has answered, watches retry without a time limit. They do so
   * as well if no server answers, and if the answer is UNAVAILABLE. Zero: the first such answer
   * ends the watch. Default: 5 min.
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
   * Replaces the transport grpc-netty-shaded.
   *
   * @param other creates the channel builder for a host and a port. The caller configures its TLS
   *     and keepalive; {@link #tls} then has no effect
   */
  public WatchClientBuilder transport(BiFunction<String, Integer, ManagedChannelBuilder<?>> other) {
    transport = other;
    return this;
  }

  /**
   * Sets the executor that calls listeners and handlers; it needs one thread for each callback that
   * runs at a time. Callbacks may block, so a small pool may run out of threads. Closing the client
   * does not end the executor. Default: the client's own threads.
   */
  public WatchClientBuilder executor(Executor instead) {
    executor = instead;
    return this;
  }

  /** Replaces the channel to the address, in tests. */
  WatchClientBuilder channel(ManagedChannel instead) {
    channel = instead;
    return this;
  }

  /** Replaces the clock and timers, in tests. */
  WatchClientBuilder timers(Scheduler instead) {
    timers = instead;
    return this;
  }

  /** Replaces the random source, in tests; must be thread-safe. */
  WatchClientBuilder random(RandomGenerator instead) {
    random = instead;
    return this;
  }

  /**
   * Returns the client, which connects on first use.
   *
   * @throws IllegalStateException if there is a TLS server name and no TLS
   */
  public WatchClient build() {
    if (tlsServerName != null && tls == null) {
      throw new IllegalStateException("a TLS server name is of use with TLS only: call tls() too");
    }
    return new WatchClient(this);
  }

  ReplicaResolver replicaResolver() {
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
    builder.disableRetry(); // a watch resumes by itself, from its own position
    if (bearer != null) {
      builder.intercept(new BearerTokenInterceptor(bearer));
    }
    if (tlsServerName != null) {
      builder.overrideAuthority(tlsServerName);
    } else if (names == Names.EACH_ADDRESS) {
      builder.overrideAuthority(targets.get(0).toString()); // the name in the certificates
    }
    return builder.build();
  }

  private ManagedChannelBuilder<?> overNetty(HostPort target) {
    ChannelCredentials credentials =
        tls == null ? InsecureChannelCredentials.create() : tls.build();
    return Grpc.newChannelBuilderForAddress(target.host(), target.port(), credentials)
        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  // ---- values for the client

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
