package io.watchgate.check.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Subscribers whose streams ended with the action STOP, and which send no more requests. Confined
 * to one thread.
 */
final class StoppedSubscribers {
  private static final Set<String> PERMISSION_REASONS = Set.of("ACCESS_DENIED", "ACCESS_CHANGED");

  private final Map<CheckSubscriber, Refusal> all = new LinkedHashMap<>();

  private record Refusal(String reason, String gatewayText) {}

  /**
   * Adds a subscriber.
   *
   * @param message text with which the gateway ended the stream
   */
  void add(CheckSubscriber subscriber, String reason, String message) {
    all.put(subscriber, new Refusal(reason, message));
  }

  boolean contains(CheckSubscriber subscriber) {
    return all.containsKey(subscriber);
  }

  int count() {
    return all.size();
  }

  /**
   * Returns the reasons for a person: one line for all missing permissions, and one for each other
   * reason.
   */
  List<String> lines() {
    Map<String, List<CheckSubscriber>> byReason = new LinkedHashMap<>();
    all.forEach(
        (subscriber, refusal) ->
            byReason
                .computeIfAbsent(
                    PERMISSION_REASONS.contains(refusal.reason) ? "" : refusal.reason,
                    any -> new ArrayList<>())
                .add(subscriber));
    List<String> lines = new ArrayList<>();
    byReason.forEach(
        (reason, subscribers) ->
            lines.add(
                reason.isEmpty() ? missingPermissions(subscribers) : line(reason, subscribers)));
    return lines;
  }

  private String missingPermissions(List<CheckSubscriber> refused) {
    String types =
        refused.stream()
            .map(one -> one.spec().type().qualifiedName())
            .collect(Collectors.toCollection(TreeSet::new))
            .stream()
            .collect(Collectors.joining(", "));
    return "the caller may not list or watch %s: grant list and watch on %s in all namespaces to the user of --bearer-token-file or --tls-client-cert (%d subscribers; the gateway said: %s)"
        .formatted(types, types, refused.size(), gatewayText(refused.getFirst()));
  }

  private String line(String reason, List<CheckSubscriber> refused) {
    return "%s, %d subscribers, the first of them %s; the gateway said: %s"
        .formatted(
            reason, refused.size(), refused.getFirst().spec(), gatewayText(refused.getFirst()));
  }

  private String gatewayText(CheckSubscriber one) {
    Refusal refusal = all.get(one);
    return refusal == null ? "" : refusal.gatewayText;
  }
}
