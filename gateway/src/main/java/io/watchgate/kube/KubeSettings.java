package io.watchgate.kube;

import java.time.Duration;

/**
 * The waits and limits towards the apiserver.
 *
 * @param connectTimeout for TCP, for each address of the apiserver
 * @param requestTimeout for a discovery request or a probe as a whole, and for the first sign of an
 *     answer to any request, connecting and TLS included
 * @param pageTimeout for one page of a list, items handed over included
 * @param pingInterval between HTTP/2 pings; one that is not answered until the next is due ends the
 *     connection
 * @param watchDuration the least that a watch is asked to last; the most is twice that, random, so
 *     that the watches of many gateways do not end together. Whole seconds
 * @param watchSlack how much longer than asked a watch may last before it is ended from here
 * @param silence how long a watch may say nothing, bookmarks included, which come about once a
 *     minute; not applied to types without bookmarks
 * @param pageSize how many objects to ask for in one page
 * @param maxObjectBytes how large an object may be, and any other document
 * @param discoveryAge how long what discovery said is believed
 * @param tokenAge how long a token read from a file is used
 */
public record KubeSettings(
    Duration connectTimeout,
    Duration requestTimeout,
    Duration pageTimeout,
    Duration pingInterval,
    Duration watchDuration,
    Duration watchSlack,
    Duration silence,
    int pageSize,
    int maxObjectBytes,
    Duration discoveryAge,
    Duration tokenAge) {

  public static final KubeSettings DEFAULT =
      new KubeSettings(
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Duration.ofSeconds(20),
          Duration.ofMinutes(30), // the apiserver's own default: 30 to 60 min
          Duration.ofSeconds(30),
          Duration.ofSeconds(190), // three intervals of bookmarks and a little
          500,
          32 << 20,
          Duration.ofSeconds(30),
          Duration.ofMinutes(1));

  public KubeSettings {
    if (watchDuration.toSeconds() < 1) {
      throw new IllegalArgumentException("watchDuration below a second: " + watchDuration);
    }
    if (pageSize < 1) {
      throw new IllegalArgumentException("pageSize below 1: " + pageSize);
    }
  }

  public KubeSettings withRequestTimeout(Duration timeout) {
    return new KubeSettings(
        connectTimeout,
        timeout,
        pageTimeout,
        pingInterval,
        watchDuration,
        watchSlack,
        silence,
        pageSize,
        maxObjectBytes,
        discoveryAge,
        tokenAge);
  }

  public KubeSettings withPageTimeout(Duration timeout) {
    return new KubeSettings(
        connectTimeout,
        requestTimeout,
        timeout,
        pingInterval,
        watchDuration,
        watchSlack,
        silence,
        pageSize,
        maxObjectBytes,
        discoveryAge,
        tokenAge);
  }

  public KubeSettings withWatch(Duration duration, Duration slack, Duration maxSilence) {
    return new KubeSettings(
        connectTimeout,
        requestTimeout,
        pageTimeout,
        pingInterval,
        duration,
        slack,
        maxSilence,
        pageSize,
        maxObjectBytes,
        discoveryAge,
        tokenAge);
  }

  public KubeSettings withPingInterval(Duration interval) {
    return new KubeSettings(
        connectTimeout,
        requestTimeout,
        pageTimeout,
        interval,
        watchDuration,
        watchSlack,
        silence,
        pageSize,
        maxObjectBytes,
        discoveryAge,
        tokenAge);
  }

  public KubeSettings withSizes(int objectsInPage, int objectBytes) {
    return new KubeSettings(
        connectTimeout,
        requestTimeout,
        pageTimeout,
        pingInterval,
        watchDuration,
        watchSlack,
        silence,
        objectsInPage,
        objectBytes,
        discoveryAge,
        tokenAge);
  }

  public KubeSettings withAges(Duration discovery, Duration token) {
    return new KubeSettings(
        connectTimeout,
        requestTimeout,
        pageTimeout,
        pingInterval,
        watchDuration,
        watchSlack,
        silence,
        pageSize,
        maxObjectBytes,
        discovery,
        token);
  }
}
