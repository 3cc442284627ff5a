package io.watchgate.cli;

import io.watchgate.auth.AuthSettings;
import io.watchgate.grpc.AuditSettings;
import io.watchgate.kube.ReviewClient;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Who may do what at a gateway, and who is told of it.
 *
 * @param pages who may read the metrics
 * @param auditBounds what is summed up in the audit log
 */
public record AccessSettings(
    AuthSettings auth, Pages pages, Audit audit, AuditSettings auditBounds) {
  /** Nobody is asked anything, and nothing is written. */
  public static final AccessSettings OPEN =
      new AccessSettings(AuthSettings.NONE, Pages.OPEN, new Audit.Off(), AuditSettings.DEFAULTS);

  /** What the apiserver is asked for tokens and rights; empty: it is not asked. */
  Set<ReviewClient.Kind> reviews() {
    Set<ReviewClient.Kind> kinds = EnumSet.noneOf(ReviewClient.Kind.class);
    if (!auth.identification().audiences().isEmpty()) {
      kinds.add(ReviewClient.Kind.TOKEN_REVIEW);
    }
    if (auth.authorization() == AuthSettings.Authorization.KUBERNETES) {
      kinds.add(ReviewClient.Kind.SUBJECT_ACCESS_REVIEW);
    }
    return kinds;
  }

  /** Why a sandbox is no apiserver for these settings, after its name; empty: it is. */
  Optional<String> contradictionToSandbox() {
    return reviews().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "knows no users and no rights, and has no "
                + join(" and no ", ReviewClient.Kind::toString)
                + ": "
                + join(", and ", ReviewClient.Kind::without));
  }

  private String join(String between, Function<ReviewClient.Kind, String> text) {
    return reviews().stream().map(text).collect(Collectors.joining(between));
  }

  /** Who may read the metrics. */
  public enum Pages {
    OPEN,
    /** Who has a token that is good here, and may get the path. */
    GUARDED
  }

  /** Where a line goes for each stream. */
  public sealed interface Audit {
    /** Nowhere. */
    record Off() implements Audit {}

    /** To the log. */
    record Log() implements Audit {}

    /** To the end of a file. */
    record InFile(Path file) implements Audit {}
  }
}
