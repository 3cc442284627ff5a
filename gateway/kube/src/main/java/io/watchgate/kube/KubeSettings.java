package io.watchgate.kube;

import java.time.Duration;

/** Timeouts and limits towards the apiserver, in groups that are replaced together. */
public record KubeSettings(
    Timeouts timeouts, Watches watches, Sizes sizes, Ages ages, Plugins plugins) {

  public static final KubeSettings DEFAULT =
      new KubeSettings(
          new Timeouts(
              Duration.ofSeconds(10),
              Duration.ofSeconds(30),
              Duration.ofMinutes(5),
              Duration.ofSeconds(20),
              Duration.ofSeconds(5)),
          new Watches(
              Duration.ofMinutes(30), // the apiserver's own default: 30 to 60 min
              Duration.ofSeconds(30),
              Duration.ofSeconds(190)), // three intervals of bookmarks and a little
          new Sizes(500, 32 << 20),
          new Ages(Duration.ofSeconds(30), Duration.ofMinutes(1)),
          new Plugins(Duration.ofMinutes(1), Duration.ofSeconds(30)));

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
      Duration connect, Duration request, Duration page, Duration ping, Duration lookup) {}

  /**
   * Duration of watches.
   *
   * @param duration minimum requested duration, in full seconds from 1; the maximum is twice that,
   *     at random, so that the watches of many gateways do not end together
   * @param slack time beyond the requested duration after which the client ends the watch
   * @param idleTimeout maximum time without a frame, including bookmarks, which are sent about once
   *     a minute; not applied to types without bookmarks
   */
  public record Watches(Duration duration, Duration slack, Duration idleTimeout) {
    public Watches {
      if (duration.toSeconds() < 1) {
        throw new IllegalArgumentException("a watch of less than a second: " + duration);
      }
    }
  }

  /**
   * Sizes of answers.
   *
   * @param pageSize number of objects to request per page, from 1
   * @param maxObjectBytes maximum bytes of an object, and of any other document
   */
  public record Sizes(int pageSize, int maxObjectBytes) {
    public Sizes {
      if (pageSize < 1 || maxObjectBytes < 1) {
        throw new IllegalArgumentException(
            "nothing would fit: " + pageSize + ", " + maxObjectBytes);
      }
    }
  }

  /**
   * Lifetimes of cached values.
   *
   * @param discovery age after which discovery and definitions are refreshed in the background; the
   *     old values stay in use meanwhile
   * @param token age after which a token file is read again
   */
  public record Ages(Duration discovery, Duration token) {}

  /**
   * Settings of exec plugins.
   *
   * @param runTimeout maximum time of a run
   * @param renewalMargin time before its expiry at which a credential is replaced, but not before
   *     the last quarter of its lifetime
   */
  public record Plugins(Duration runTimeout, Duration renewalMargin) {}

  public KubeSettings withRequestTimeout(Duration request) {
    return with(
        new Timeouts(timeouts.connect, request, timeouts.page, timeouts.ping, timeouts.lookup));
  }

  public KubeSettings with(Timeouts changed) {
    return new KubeSettings(changed, watches, sizes, ages, plugins);
  }

  public KubeSettings with(Watches changed) {
    return new KubeSettings(timeouts, changed, sizes, ages, plugins);
  }

  public KubeSettings with(Sizes changed) {
    return new KubeSettings(timeouts, watches, changed, ages, plugins);
  }

  public KubeSettings with(Ages changed) {
    return new KubeSettings(timeouts, watches, sizes, changed, plugins);
  }

  public KubeSettings with(Plugins changed) {
    return new KubeSettings(timeouts, watches, sizes, ages, changed);
  }
}
