package io.watchgate.kube;

import java.time.Duration;

/** Timeouts and limits towards the apiserver, in groups that are replaced together. */
public record KubeSettings(
    Timeouts timeouts, WatchTimeouts watches, Sizes sizes, Ages ages, Plugins plugins) {

  public static final KubeSettings DEFAULT =
      new KubeSettings(
          new Timeouts(
              /* connect= */ Duration.ofSeconds(10),
              /* request= */ Duration.ofSeconds(30),
              /* page= */ Duration.ofMinutes(5),
              /* ping= */ Duration.ofSeconds(20),
              /* lookup= */ Duration.ofSeconds(5)),
          WatchTimeouts.DEFAULT,
          new Sizes(/* pageSize= */ 500, /* maxObjectBytes= */ 32 << 20),
          new Ages(/* discovery= */ Duration.ofSeconds(30), /* token= */ Duration.ofMinutes(1)),
          new Plugins(
              /* runTimeout= */ Duration.ofMinutes(1),
              /* renewalMargin= */ Duration.ofSeconds(30)));

  /**
   * Timeouts of requests.
   *
   * @param connect for TCP, for each address of the apiserver
   * @param request for a complete discovery request or probe, and for the first byte of an answer
   *     to any request, including connecting and TLS
   * @param page for one page of a list, including the processing of its items
   * @param ping interval of HTTP/2 pings; a ping that is not answered before the next one closes
   *     the connection
   * @param lookup longest wait of a caller for the name or the definition of an unknown type; the
   *     request itself continues in the background
   */
  public record Timeouts(
      Duration connect, Duration request, Duration page, Duration ping, Duration lookup) {
    /**
     * Upper bound of {@code Retry-After}. An apiserver names seconds; a date by another clock than
     * ours could be a year ahead.
     */
    static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(5);
  }

  /**
   * Sizes of answers; see {@link ListPageReader}.
   *
   * @param pageSize number of objects to request per page, from 1
   * @param maxObjectBytes maximum bytes of an object, and of any other document
   */
  public record Sizes(int pageSize, int maxObjectBytes) {
    /**
     * Bytes of the receive window of one connection: four frames of HTTP/2; the kernel has room for
     * more.
     */
    static final int RECEIVE_WINDOW = 64 << 10;

    /** Maximum bytes that are read of an error: enough for a Status. */
    static final int MAX_ERROR_BYTES = 1 << 16;

    /** Maximum bytes of the answer to a review; one of a user with a thousand groups has less. */
    static final int MAX_REVIEW_BYTES = 1 << 20;

    public Sizes {
      if (pageSize < 1 || maxObjectBytes < 1) {
        throw new IllegalArgumentException(
            "pageSize and maxObjectBytes must be above 0: " + pageSize + ", " + maxObjectBytes);
      }
    }
  }

  /**
   * Lifetimes of cached values; see {@link TypeCache} and {@link TokenFileSource}.
   *
   * @param discovery age after which discovery and definitions are refreshed in the background; the
   *     old values stay in use meanwhile
   * @param token age after which a token file is read again
   */
  public record Ages(Duration discovery, Duration token) {
    /**
     * Divisor of the lifetime of discovery. An unknown name causes a new discovery request at most
     * once in that part of the lifetime, since names are sent by users.
     */
    static final int MISSES_PER_AGE = 30;
  }

  /**
   * Settings of exec plugins; see {@link ExecCredentialSource}.
   *
   * @param runTimeout maximum time of a run
   * @param renewalMargin time before its expiry at which a credential is replaced, but not before
   *     the last quarter of its lifetime
   */
  public record Plugins(Duration runTimeout, Duration renewalMargin) {
    /** Longest wait of a caller for a new credential while the old one is valid. */
    static final Duration MAX_CREDENTIAL_WAIT = Duration.ofSeconds(2);

    /**
     * Maximum bytes of stdout: far more than a token, and a chain of certificates with its key,
     * need.
     */
    static final int MAX_OUTPUT = 1 << 20;

    /** Lines of stderr that are logged. */
    static final int MAX_STDERR_LINES = 50;

    /** Characters of a line of stderr. */
    static final int MAX_STDERR_LINE = 1000;

    /** Time for which a descendant that outlives the plugin may keep its streams open. */
    static final Duration STREAM_GRACE = Duration.ofSeconds(1);
  }

  /** Access and token reviews. */
  public static final class Reviews {
    /** Timeout of a review, short because a caller waits for the answer. */
    public static final Duration TIMEOUT = Duration.ofSeconds(10);

    /**
     * Concurrent reviews for new calls: a small part of the 600 concurrent requests that an
     * apiserver admits by default.
     */
    public static final int MAX_FOR_CALLS = 32;

    /** Concurrent reviews for re-checks of open streams. */
    public static final int MAX_FOR_RECHECKS = 16;

    /** Reviews of either kind that wait for others; further ones are refused. */
    public static final int MAX_WAITING = 1_000;

    /** Longest wait for a permit; after it the caller gets the same error as without an answer. */
    static final Duration MAX_PERMIT_WAIT = Duration.ofSeconds(5);

    private Reviews() {}
  }

  /** Requests for CustomResourceDefinitions. */
  static final class Definitions {
    /** Number of definitions of a list page: they include schemas, so a page has fewer items. */
    static final int PAGE = 50;

    /**
     * Maximum number of definitions that are requested at a time, so that they do not load the
     * apiserver.
     */
    static final int MAX_REQUESTS = 4;

    private Definitions() {}
  }

  public KubeSettings withRequestTimeout(Duration request) {
    return with(
        new Timeouts(timeouts.connect, request, timeouts.page, timeouts.ping, timeouts.lookup));
  }

  public KubeSettings with(Timeouts changed) {
    return new KubeSettings(changed, watches, sizes, ages, plugins);
  }

  public KubeSettings with(WatchTimeouts changed) {
    return new KubeSettings(timeouts, changed, sizes, ages, plugins);
  }

  public KubeSettings with(Sizes changed) {
    return new KubeSettings(timeouts, watches, changed, ages, plugins);
  }

  public KubeSettings with(Ages changed) {
    return new KubeSettings(timeouts, watches, sizes, changed, plugins);
  }
}
