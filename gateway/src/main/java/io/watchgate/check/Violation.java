package io.watchgate.check;

import java.util.List;

/**
 * A promise that was broken.
 *
 * @param what in a sentence
 * @param heard which of what the session heard shows it
 * @param upstream what really happened there, as far as it helps
 */
public record Violation(
    Promise promise, Session session, String what, int heard, List<String> upstream) {
  private static final int SHOWN_BEFORE = 3;
  private static final int SHOWN_UPSTREAM = 20;

  public Violation {
    upstream = List.copyOf(upstream);
  }

  /** With the piece of history that shows it. */
  public String report() {
    StringBuilder text = new StringBuilder();
    text.append("%s is broken: %s%n".formatted(promise, what));
    text.append("  (%s)%n  %s%n".formatted(promise.text(), session));
    text.append("  heard:%n".formatted());
    int last = Math.min(heard, session.heard().size() - 1);
    for (int i = Math.max(0, last - SHOWN_BEFORE); i <= last; i++) {
      text.append("  %s %d. %s%n".formatted(i == last ? ">" : " ", i, session.heard().get(i)));
    }
    if (!upstream.isEmpty()) {
      text.append("  upstream:%n".formatted());
      upstream.stream()
          .limit(SHOWN_UPSTREAM)
          .forEach(one -> text.append("    %s%n".formatted(one)));
      if (upstream.size() > SHOWN_UPSTREAM) {
        text.append("    and %d more%n".formatted(upstream.size() - SHOWN_UPSTREAM));
      }
    }
    return text.toString();
  }
}
