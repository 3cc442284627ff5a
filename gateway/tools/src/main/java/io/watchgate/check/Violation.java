package io.watchgate.check;

import java.util.List;

/**
 * A broken promise.
 *
 * @param description description in one sentence
 * @param messageIndex index of the session's message that reveals the violation
 * @param upstream actual changes that explain the violation, if there are any
 */
public record Violation(
    Promise promise, Session session, String description, int messageIndex, List<String> upstream) {
  private static final int MAX_MESSAGES_BEFORE = 3;
  private static final int MAX_UPSTREAM_CHANGES = 20;

  public Violation {
    upstream = List.copyOf(upstream);
  }

  /** Returns the violation with the messages and changes that reveal it. */
  public String report() {
    StringBuilder text = new StringBuilder();
    text.append("%s is broken: %s%n".formatted(promise, description));
    text.append("  (%s)%n  %s%n".formatted(promise.text(), session));
    text.append("  received:%n".formatted());
    int last = Math.min(messageIndex, session.messages().size() - 1);
    for (int i = Math.max(0, last - MAX_MESSAGES_BEFORE); i <= last; i++) {
      text.append("  %s %d. %s%n".formatted(i == last ? ">" : " ", i, session.messages().get(i)));
    }
    if (!upstream.isEmpty()) {
      text.append("  upstream:%n".formatted());
      upstream.stream()
          .limit(MAX_UPSTREAM_CHANGES)
          .forEach(one -> text.append("    %s%n".formatted(one)));
      if (upstream.size() > MAX_UPSTREAM_CHANGES) {
        text.append("    and %d more%n".formatted(upstream.size() - MAX_UPSTREAM_CHANGES));
      }
    }
    return text.toString();
  }
}
