package io.watchgate.cli.live;

import io.watchgate.proto.v1.ResourceType;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * Age from which on a state counts as stale: the time since the apiserver confirmed it.
 *
 * <p>A changing type is confirmed within seconds. A type without changes is confirmed about every
 * 70 s, and a client may learn of it with a bookmark 30 s later. An apiserver keeps no bookmarks of
 * events, so without changes their state is confirmed by a new watch, every ten minutes.
 */
public record StalenessThreshold(Duration age) {
  private static final Duration USUAL = Duration.ofMinutes(2);
  private static final Duration OF_EVENTS = Duration.ofMinutes(15);

  /** Names by which a user may ask for events: plural, kind and short name. */
  private static final Set<String> EVENTS = Set.of("events", "event", "ev");

  /** Returns the threshold of a type, which may be given by its plural, kind or short name. */
  public static StalenessThreshold of(ResourceType type) {
    String name = type.getResource().toLowerCase(Locale.ROOT);
    return new StalenessThreshold(EVENTS.contains(name) ? OF_EVENTS : USUAL);
  }

  /** Returns whether a state that was confirmed {@code ago} is stale. */
  public boolean isStale(Duration ago) {
    return ago.compareTo(age) >= 0;
  }

  /** Returns the message for a state that was confirmed {@code ago}. */
  public static String text(Duration ago) {
    return "stale: the apiserver last confirmed this state " + ago.toSeconds() + " s ago";
  }
}
