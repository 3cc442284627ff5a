package io.watchgate.server;

import io.watchgate.audit.AuditSettings;
import io.watchgate.auth.AuthSettings;
import io.watchgate.kube.ReviewClient;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Settings of authentication, authorization and auditing of a gateway.
 *
 * @param pages authorization of the metrics page
 * @param auditBounds limits of the audit log, above which events are summarized
 */
public record AccessSettings(
    AuthSettings auth, Pages pages, Audit audit, AuditSettings auditBounds) {
  /** No authentication, no authorization, no audit log. */
  public static final AccessSettings OPEN =
      new AccessSettings(AuthSettings.NONE, Pages.OPEN, new Audit.Off(), AuditSettings.DEFAULTS);

  /** Returns the kinds of reviews that are sent to the apiserver; empty if none is. */
  Set<ReviewClient.Kind> requiredReviews() {
    Set<ReviewClient.Kind> kinds = EnumSet.noneOf(ReviewClient.Kind.class);
    if (!auth.identification().audiences().isEmpty()) {
      kinds.add(ReviewClient.Kind.TOKEN_REVIEW);
    }
    if (auth.authorization() == AuthSettings.Authorization.KUBERNETES) {
      kinds.add(ReviewClient.Kind.SUBJECT_ACCESS_REVIEW);
    }
    return kinds;
  }

  /**
   * Returns why a sandbox cannot serve as the apiserver of these settings, as the rest of a
   * sentence that begins with its name; empty if it can.
   */
  public Optional<String> sandboxContradiction() {
    return requiredReviews().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "knows no users and no rights, and has no "
                + join(" and no ", ReviewClient.Kind::toString)
                + ": "
                + join(", and ", ReviewClient.Kind::without));
  }

  private String join(String between, Function<ReviewClient.Kind, String> text) {
    return requiredReviews().stream().map(text).collect(Collectors.joining(between));
  }

  /** Authorization of the metrics page. */
  public enum Pages {
    OPEN,
    /** Requires a valid token and the right to get the path. */
    GUARDED
  }

  /** Destination of the audit log, which has a line for each stream. */
  public sealed interface Audit {
    /** No audit log. */
    record Off() implements Audit {}

    /** The process's log. */
    record Log() implements Audit {}

    /** A file that lines are appended to. */
    record InFile(Path file) implements Audit {}
  }
}
