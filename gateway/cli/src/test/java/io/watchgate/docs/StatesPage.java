package io.watchgate.docs;

import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamState;
import io.watchgate.ops.pages.UpstreamEvents;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Page of the words in {@code /debug/types} and {@code /debug/events}. The switches have no
 * default, so that a new value of an enum does not compile without its line.
 */
final class StatesPage {
  /** Reasons of ended watches and lists by the class of the failure, in lower case. */
  static final Map<String, String> FAILURES = new LinkedHashMap<>();

  /** Reasons of ended watches that are neither a failure nor an end in order. */
  static final Map<String, String> VIOLATIONS = new LinkedHashMap<>();

  /** Reasons of the last list or watch of a type that is closed. */
  static final Map<String, String> LAST = new LinkedHashMap<>();

  /** Reasons of lists. */
  static final Map<String, String> LISTS = new LinkedHashMap<>();

  static {
    FAILURES.put(
        "transport", "the connection was refused, reset or not answered in time, or TLS failed");
    FAILURES.put("expired", "410: the version is out of the apiserver's history; a list follows");
    FAILURES.put("notyetreached", "504: this apiserver has not reached the version yet");
    FAILURES.put("throttled", "429: the apiserver is overloaded, or limits the gateway's account");
    FAILURES.put("unauthorized", "401: renew the credentials of the gateway");
    FAILURES.put("forbidden", "403: grant list and watch on the type to the gateway");
    FAILURES.put("typegone", "404 or 405: the type is not served, perhaps for a moment only");
    FAILURES.put("badrequest", "400, 406 or 422: the apiserver does not accept the request");
    FAILURES.put("unsupported", "no streaming lists here: lists are read page by page");
    FAILURES.put("servererror", "another 5xx, or a text of a proxy in front of the apiserver");
    FAILURES.put("malformed", "the answer is no JSON of Kubernetes, or could not be read");
    VIOLATIONS.put("order", "an event had an earlier version than the one before; a list follows");
    VIOLATIONS.put(
        "rollback", "the apiserver was at an earlier version than the gateway; it is asked again");
    LAST.put(
        "too_large", "its objects exceed the budget of the heap; it is tried again after a minute");
    LAST.put("unordered", "its resourceVersions are not decimal numbers");
    LISTS.put("initial", "the first one of the type");
    LISTS.put("expired", "the apiserver did not have the changes since the last version any more");
    LISTS.put("refused", "the apiserver refused the watch");
    LISTS.put("malformed", "events could not be read, twice");
    LISTS.put("order", "an event had an earlier version than the one before");
    LISTS.put("rollback", "the apiserver was at an earlier version than the gateway");
    LISTS.put(
        "restored", "the cluster has another timeline, for example after a restore from a backup");
    LISTS.put(
        "unprovable",
        "after lost connections only a list can tell whether the timeline is the same");
    LISTS.put("errors", "watches failed for two minutes although the apiserver answers");
    LISTS.put("self_check", "the periodic comparison found a difference");
  }

  private StatesPage() {}

  static ReferencePage page() {
    List<String> lines = new ArrayList<>();
    lines.add(
        """
        The words in `/debug/types`, `/debug/types/NAME` and `/debug/events` of `--http-listen`; [how to read the pages](../how-to/look-inside.md).

        ## Phases of a type
        """
            .strip());
    table(
        lines,
        "phase",
        "meaning, and what to do",
        UpstreamState.ReflectorPhase.values(),
        StatesPage::label,
        StatesPage::meaning);
    lines.add("");
    lines.add(
        "A type with one of the last five is closed. It is opened again when a client asks for it,"
            + " if the apiserver serves it.");
    lines.add("");
    lines.add("## Events");
    lines.add("");
    lines.add(
        "The column `reason` has the reason or the outcome, with the same word as the label of the"
            + " metric.");
    table(
        lines,
        "event",
        "meaning and outcomes",
        UpstreamEvents.Kind.values(),
        UpstreamEvents.Kind::label,
        StatesPage::meaning);
    lines.add("");
    lines.add("## Reasons of ended watches and lists");
    lines.add("");
    lines.add("| reason | meaning |");
    lines.add("|---|---|");
    for (Upstream.End end : Upstream.End.values()) {
      lines.add("| `%s` | %s |".formatted(end.reason(), meaning(end)));
    }
    FAILURES.forEach((reason, meaning) -> lines.add("| `%s` | %s |".formatted(reason, meaning)));
    VIOLATIONS.forEach((reason, meaning) -> lines.add("| `%s` | %s |".formatted(reason, meaning)));
    LAST.forEach((reason, meaning) -> lines.add("| `%s` | %s |".formatted(reason, meaning)));
    lines.add("");
    lines.add(
        "After each failure the gateway waits up to 30 s, longer if the apiserver asks for that,"
            + " and tries again by itself.");
    lines.add("");
    lines.add("## Reasons of lists");
    lines.add("");
    lines.add("| reason | meaning |");
    lines.add("|---|---|");
    LISTS.forEach((reason, meaning) -> lines.add("| `%s` | %s |".formatted(reason, meaning)));
    return new ReferencePage(
        "states.md",
        "States and events of types",
        "the enums of the code",
        lines,
        "[See what a gateway is doing](../how-to/look-inside.md), [Errors](errors.md)");
  }

  /** Returns the reason of a failure as it is counted. */
  static String reason(Class<?> failure) {
    return failure.getSimpleName().toLowerCase(Locale.ROOT);
  }

  static List<Class<?>> failures() {
    return List.of(UpstreamFailure.class.getPermittedSubclasses());
  }

  private static <T> void table(
      List<String> lines,
      String name,
      String text,
      T[] values,
      Function<T, String> label,
      Function<T, String> meaning) {
    lines.add("");
    lines.add("| %s | %s |".formatted(name, text));
    lines.add("|---|---|");
    for (T value : values) {
      lines.add("| `%s` | %s |".formatted(label.apply(value), meaning.apply(value)));
    }
  }

  private static String label(UpstreamState.ReflectorPhase phase) {
    return phase.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String meaning(UpstreamState.ReflectorPhase phase) {
    return switch (phase) {
      case LOADING ->
          "no state yet: the first list is read, or fails. If it lasts, `failure` says why";
      case WATCHING ->
          "there is a state, and a watch keeps it up to date, or is being reopened. All is well";
      case DISCONNECTED ->
          "there is a state, but the apiserver does not answer: streams stay open, [with"
              + " authentication for 10 to 16"
              + " minutes](../explanation/when-the-apiserver-is-away.md), and get nothing new."
              + " `failure` names the address and the reason; the gateway tries again by"
              + " itself";
      case GONE -> "the apiserver does not serve the type any more; streams ended with TYPE_GONE";
      case REDEFINED ->
          "its CustomResourceDefinition was replaced or has other selectable fields; streams ended"
              + " with STARTING, and [resume with the new"
              + " definition](../explanation/tokens-and-replicas.md#when-a-type-is-defined-again)"
              + " by themselves";
      case UNORDERED ->
          "its resourceVersions are not decimal numbers, so that it cannot be watched here"
              + " (VERSIONS_NOT_ORDERED)";
      case TOO_LARGE ->
          "its objects exceed the budget of the heap; streams ended with MEMORY. Give the gateway a"
              + " larger heap";
      case CLOSED -> "no client uses it, or the gateway is shutting down";
    };
  }

  private static String meaning(UpstreamEvents.Kind kind) {
    return switch (kind) {
      case LIST -> "a list was completed; [reasons](#reasons-of-lists)";
      case WATCH_OR_LIST_ENDED ->
          "a watch ended, or a list failed; [reasons](#reasons-of-ended-watches-and-lists)";
      case VERSION_PROBE ->
          "a request for the present version of the apiserver did not confirm the state: `behind`,"
              + " the apiserver is at an earlier version; `failed`, no answer. Confirmations are"
              + " only counted";
      case HISTORY_CHECK ->
          "comparison with the apiserver after a lost connection: `same`, nothing was missed;"
              + " `lost`, the cluster has another timeline; `unprovable`, a list follows; `failed`,"
              + " tried again";
      case SELF_CHECK ->
          "periodic comparison of the state: `equal`; `different`, a list follows and the log has"
              + " the number of objects on both sides; `expired` and `failed`, not compared";
      case BACKFILL ->
          "changes before the oldest in history were fetched for a token: `reached`. With all"
              + " others the stream gets a snapshot, or the error that it asked for: `expired`, the"
              + " apiserver does not have them; `too_large`, they are more than history has room"
              + " for, by `--history-mib` or the heap; `different`, they do not lead to the cached"
              + " state; `moved`, history was trimmed meanwhile; `unanswered`, the apiserver did"
              + " not answer (tried again); `failed`, the log says why";
    };
  }

  private static String meaning(Upstream.End end) {
    return switch (end) {
      case ON_TIME -> "at the requested time: each watch is renewed after 30 to 60 min";
      case EARLY -> "before that time: the apiserver shuts down, or ends a slow watch";
      case SILENT -> "ended by the gateway, because not even bookmarks arrived";
    };
  }
}
