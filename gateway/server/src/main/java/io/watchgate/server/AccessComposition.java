package io.watchgate.server;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.audit.AuditLineWriter;
import io.watchgate.audit.AuditLog;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Credentials;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.error.ApiException;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.ReviewClient;
import io.watchgate.ops.AuthCounters;
import io.watchgate.ops.AuthGauges;
import io.watchgate.ops.pages.PageAuthorizer;
import io.watchgate.ops.pages.PageException;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authentication, authorization and audit log of a gateway, wired together. Thread-safe. */
final class AccessComposition implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AccessComposition.class);

  private static final String BEARER = "bearer ";

  private final AccessSettings settings;
  private final ReviewClient reviews;
  private final AccessController accessController;
  private final @Nullable AuditLineWriter audit;
  private final AuditLog auditLog;

  /**
   * Sends no request yet.
   *
   * @param certificates whether a certificate is valid by the authorities of now
   * @throws IOException if a file of tokens, or the audit log, cannot be used
   */
  AccessComposition(
      AccessSettings settings,
      ClientConfig access,
      KubeSettings kube,
      Predicate<Credentials.Certificate> certificates,
      PrometheusRegistry registry)
      throws ConfigException, IOException {
    this.settings = settings;
    this.reviews = ReviewClient.of(access, kube.withRequestTimeout(KubeSettings.Reviews.TIMEOUT));
    this.accessController =
        AccessController.of(
            settings.auth(),
            AccessController.Reviewers.of(
                reviews.pool(KubeSettings.Reviews.MAX_FOR_CALLS, KubeSettings.Reviews.MAX_WAITING),
                certificates),
            AccessController.Reviewers.of(
                reviews.pool(
                    KubeSettings.Reviews.MAX_FOR_RECHECKS, KubeSettings.Reviews.MAX_WAITING),
                certificates),
            TimeSource.SYSTEM,
            new AuthCounters(registry));
    AuditLineWriter writer = audit(settings.audit());
    this.audit = writer;
    this.auditLog =
        writer == null
            ? AuditLog.NONE
            : new AuditLog(writer::write, TimeSource.SYSTEM.wall(), settings.auditBounds());
    AuthGauges.register(
        registry, accessController, this::lostAuditLines, auditLog::summarizedEvents);
  }

  private static @Nullable AuditLineWriter audit(AccessSettings.Audit audit) throws IOException {
    return switch (audit) {
      case AccessSettings.Audit.Off _ -> null;
      case AccessSettings.Audit.Log _ -> AuditLineWriter.toLog();
      case AccessSettings.Audit.InFile(var file) -> AuditLineWriter.toFile(file);
    };
  }

  private long lostAuditLines() {
    return audit == null ? 0 : audit.lostLines();
  }

  AccessController accessController() {
    return accessController;
  }

  AuditLog auditLog() {
    return auditLog;
  }

  /**
   * Starts re-checking open streams.
   *
   * @throws IOException if the apiserver is a sandbox that lacks a required review
   */
  void start(ScheduledExecutorService timer, Cluster cluster, TypeRegistry types)
      throws IOException {
    for (ReviewClient.Kind kind : settings.requiredReviews()) {
      if (!reviews.has(kind)) {
        requireNoSandbox();
        log.warn(
            "the apiserver has no {}, so that all callers are refused; enable that API, or {}",
            kind,
            kind.without());
      }
    }
    accessController.start(timer, cluster, types);
    var _ = timer.scheduleWithFixedDelay(auditLog::tick, 1, 1, TimeUnit.SECONDS);
  }

  private void requireNoSandbox() throws IOException {
    Optional<String> contradiction = settings.sandboxContradiction();
    if (contradiction.isPresent() && reviews.isSandbox()) {
      throw new IOException("the apiserver is a sandbox, which " + contradiction.get());
    }
  }

  /** Returns the authorizer of the metrics page. */
  PageAuthorizer metricsAuthorizer() {
    return switch (settings.pages()) {
      case OPEN -> PageAuthorizer.OPEN;
      case GUARDED -> this::decide;
    };
  }

  /** Returns the authorizer of other pages for callers that are not on this host. */
  PageAuthorizer pageAuthorizer() {
    return settings.auth().isOpenToAll() ? PageAuthorizer.LOCAL_ONLY : this::decide;
  }

  private PageAuthorizer.Decision decide(
      List<String> authorization, InetAddress from, String path) {
    try {
      Caller caller = accessController.authenticate(credentials(authorization), from);
      accessController.requirePage(caller, path);
      return new PageAuthorizer.Decision(
          PageAuthorizer.Verdict.PASS, selection -> requireList(caller, selection));
    } catch (ApiException e) {
      ErrorReason reason = e.error().reason();
      return PageAuthorizer.Decision.refuse(
          switch (reason) {
            case ERROR_REASON_ACCESS_DENIED -> PageAuthorizer.Verdict.DENIED;
            case ERROR_REASON_QUOTA -> PageAuthorizer.Verdict.TOO_OFTEN;
            case ERROR_REASON_UPSTREAM_UNAVAILABLE -> PageAuthorizer.Verdict.UNAVAILABLE;
            default -> PageAuthorizer.Verdict.UNKNOWN;
          });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return PageAuthorizer.Decision.refuse(PageAuthorizer.Verdict.UNAVAILABLE);
    }
  }

  private void requireList(Caller caller, CompiledSelection selection)
      throws PageException, InterruptedException {
    try {
      accessController.requireList(caller, selection);
    } catch (ApiException e) {
      String problem = e.error().message();
      throw switch (e.error().reason()) {
        case ERROR_REASON_ACCESS_DENIED -> PageException.denied(problem);
        case ERROR_REASON_QUOTA -> PageException.tooOften(problem);
        default -> PageException.unavailable(problem);
      };
    }
  }

  private static Credentials credentials(List<String> authorization) {
    if (authorization.isEmpty()) {
      return new Credentials.None();
    }
    return Optional.of(authorization.getFirst())
        .filter(value -> authorization.size() == 1)
        .filter(value -> value.toLowerCase(Locale.ROOT).startsWith(BEARER))
        .map(value -> value.substring(BEARER.length()).strip())
        .filter(token -> !token.isEmpty())
        .<Credentials>map(Credentials.Bearer::new)
        .orElseGet(() -> new Credentials.Unusable("there is no one header with one token."));
  }

  /**
   * Closes the access control. To be called after the server is closed, because the ends of its
   * streams are still audited.
   */
  @Override
  public void close() {
    accessController.close();
    reviews.close();
    auditLog.close();
    if (audit != null) {
      audit.close();
    }
  }
}
