package io.watchgate.cli;

import io.watchgate.auth.AuthSettings;
import io.watchgate.grpc.AuditSettings;
import java.nio.file.Path;

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
      new AccessSettings(
          AuthSettings.NONE, Pages.OPEN, new Audit.Off(), AuditSettings.DEFAULTS);

  /** Whether tokens or rights are taken to the apiserver. */
  boolean asksTheApiserver() {
    return !auth.identification().audiences().isEmpty()
        || auth.authorization() == AuthSettings.Authorization.KUBERNETES;
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
