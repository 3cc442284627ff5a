package io.watchgate.check;

import java.util.List;

/**
 * A broken promise.
 *
 * @param what description in one sentence
 * @param heard index of the session's message that reveals the violation
 * @param upstream actual changes that explain the violation, if there are any
 */
public record Violation(
    Promise promise, Session session, String what, int heard, List<String> upstream) {
  private static final int SHOWN_BEFORE = 3;
  private static final int SHOWN_UPSTREAM = 20;

  public Violation {
    upstream = List.copyOf(upstream);
  }

  /** Returns the violation with the messages and changes that reveal it. */
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
