package io.watchgate.kube;

import java.time.Duration;

/** The waits and limits towards the apiserver, in groups that are changed as a whole. */
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
   * How long the apiserver may take.
   *
   * @param connect for TCP, for each address of the apiserver
   * @param request for a discovery request or a probe as a whole, and for the first sign of an
   *     answer to any request, connecting and TLS included
   * @param page for one page of a list, items handed over included
   * @param ping between HTTP/2 pings; one that is not answered until the next is due ends the
   *     connection
   * @param lookup how long a caller waits for the name or the definition of a type that is not
   *     known yet; the request goes on aside for as long as it may take
   */
  public record Timeouts(
      Duration connect, Duration request, Duration page, Duration ping, Duration lookup) {}

  /**
   * How long a watch lasts.
   *
   * @param duration the least that it is asked to last, in whole seconds from 1; the most is twice
   *     that, random, so that the watches of many gateways do not end together
   * @param slack how much longer than asked it may last before it is ended from here
   * @param silence how long it may say nothing, bookmarks included, which come about once a minute;
   *     not applied to types without bookmarks
   */
  public record Watches(Duration duration, Duration slack, Duration silence) {
    public Watches {
      if (duration.toSeconds() < 1) {
        throw new IllegalArgumentException("a watch of less than a second: " + duration);
      }
    }
  }

  /**
   * How much at once.
   *
   * @param page how many objects to ask for in one page, from 1
   * @param object how many bytes an object may have, and any other document
   */
  public record Sizes(int page, int object) {
    public Sizes {
      if (page < 1 || object < 1) {
        throw new IllegalArgumentException("nothing would fit: " + page + ", " + object);
      }
    }
  }

  /**
   * How long what was read is believed.
   *
   * @param discovery after which what discovery and definitions said is read again, aside: what is
   *     known stays in use meanwhile
   * @param token a token read from a file
   */
  public record Ages(Duration discovery, Duration token) {}

  /**
   * How exec plugins are run.
   *
   * @param run how long one may take
   * @param early how long before its expiry a credential is replaced, but not before the last
   *     quarter of its time
   */
  public record Plugins(Duration run, Duration early) {}

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
