package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.watchgate.audit.AuditSettings;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.AuthSettings.Authorization;
import io.watchgate.auth.AuthSettings.Certificates;
import io.watchgate.auth.AuthSettings.Identification;
import io.watchgate.auth.AuthSettings.MissingCredentials;
import io.watchgate.auth.CertificateUserField;
import io.watchgate.auth.Credentials;
import io.watchgate.server.AccessSettings;
import io.watchgate.server.ClientAuthoritySource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of authentication, authorization, quotas and auditing. */
@OptionGroup("Callers")
final class AccessOptions {
  private static final String AUDIENCE = "watchgate";

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--token-review",
      description =
          "Authenticate bearer tokens at the apiserver (TokenReview). Default: tokens are not"
              + " reviewed.")
  private boolean tokenReview;

  @Option(
      names = "--token-audience",
      paramLabel = "NAME",
      description =
          "Audience that such a token must have; may be repeated. Default: " + AUDIENCE + ".")
  private List<String> audiences = List.of();

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "File with tokens for development: lines of TOKEN,USER,UID,\"GROUP,GROUP\". Read once."
              + " Default: none.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--certificate-user",
      paramLabel = "WHERE",
      defaultValue = "cn",
      description =
          "Field of a client's certificate (--tls-client-ca) that names the user: cn, its common"
              + " name, or uri, its only alternative name that is a URI. Default:"
              + " ${DEFAULT-VALUE}.")
  private String certificateUser = "";

  @Option(
      names = "--anonymous",
      description =
          "Accept callers without credentials, as system:anonymous of the group"
              + " system:unauthenticated. Default: they are refused.")
  private boolean anonymous;

  @Option(
      names = "--authorization",
      paramLabel = "MODE",
      defaultValue = "",
      description =
          "kubernetes: a stream needs the right to list and watch what it selects, as the apiserver"
              + " says (SubjectAccessReview); none: every accepted caller may read everything that"
              + " is served. Default: kubernetes if callers are authenticated, else none.")
  private String authorization = "";

  @Option(
      names = "--recheck-every",
      paramLabel = "SECONDS",
      defaultValue = "" + AuthSettings.Rechecks.DEFAULT_INTERVAL_SECONDS,
      description =
          "Interval of the re-checks of the permissions of open streams, 1 to 86400. They are also"
              + " re-checked when roles or bindings change, if the gateway may watch those."
              + " Default: ${DEFAULT-VALUE}.")
  private int recheckSeconds;

  @Option(
      names = "--recheck-grace",
      paramLabel = "SECONDS",
      defaultValue = "" + AuthSettings.Rechecks.DEFAULT_GRACE_SECONDS,
      description =
          "Time for which an open stream is kept after its first re-check that the apiserver did"
              + " not answer, 0 to 86400. Default: ${DEFAULT-VALUE}.")
  private int graceSeconds;

  @Option(
      names = "--max-streams-per-user",
      paramLabel = "COUNT",
      defaultValue = "" + AuthSettings.Quotas.DEFAULT_STREAMS,
      description =
          "Maximum number of open streams of one user, over all addresses, 1 to 10000000. Default:"
              + " ${DEFAULT-VALUE}.")
  private int userStreams;

  @Option(
      names = "--max-opens-per-user",
      paramLabel = "COUNT",
      defaultValue = "" + AuthSettings.Quotas.DEFAULT_CALLS_PER_SECOND,
      description =
          "Maximum rate of calls of one user per second, 1 to 1000000; bursts of up to ten times"
              + " that. Default: ${DEFAULT-VALUE}.")
  private int userOpens;

  @Option(
      names = "--max-selections-per-user",
      paramLabel = "COUNT",
      defaultValue = "" + AuthSettings.Quotas.DEFAULT_SELECTIONS,
      description =
          "Maximum number of different selections of one user, 1 to 1000000. Default:"
              + " ${DEFAULT-VALUE}.")
  private int userSelections;

  @Option(
      names = "--unread-mib-per-user",
      paramLabel = "MIB",
      defaultValue = "" + AuthSettings.Quotas.DEFAULT_UNREAD_MIB,
      description =
          "Maximum of bytes in the transport that one user has not read, 1 to 8192. Default:"
              + " ${DEFAULT-VALUE}.")
  private int userUnreadMib;

  @Option(
      names = "--metrics-auth",
      description =
          "Require a bearer token with permission to get /metrics: one for --token-audience, or of"
              + " --token-file. Default: every client that reaches the port may read it.")
  private boolean metricsAuth;

  @Option(
      names = "--audit-log",
      paramLabel = "FILE",
      defaultValue = "",
      description =
          "Destination of the audit log, one line of JSON for each stream that is opened, denied or"
              + " ended, and for each page of a list: a file, to whose end it is appended; log, the"
              + " log; or none. Default: log if callers are authenticated.")
  private String auditLog = "";

  @Option(
      names = "--audit-interval",
      paramLabel = "SECONDS",
      defaultValue = "" + AuditSettings.DEFAULT_INTERVAL_SECONDS,
      description =
          "Seconds in which equal denials are combined, 0 to 3600. The first gets its line at once;"
              + " then one line per interval has the number of the others. Denials are equal if"
              + " they have the same caller, verb, type, namespaces and reason; unknown callers are"
              + " equal if their kind of credentials is. With 0 each event has a line. Default:"
              + " ${DEFAULT-VALUE}.")
  private int auditSeconds;

  @Option(
      names = "--audit-lines-per-caller",
      paramLabel = "COUNT",
      defaultValue = "" + AuditSettings.DEFAULT_LINES_PER_CALLER,
      description =
          "Maximum number of lines of one caller in that interval, 1 to 1000000; further events are"
              + " summarized. Default: ${DEFAULT-VALUE}.")
  private int auditLines;

  /**
   * Returns the settings.
   *
   * @param clients authority of client certificates of gRPC, if there is one
   * @param kubeClients the same of the Kubernetes read API
   * @throws ParameterException if a value is out of range or options contradict each other
   */
  AccessSettings settings(Optional<Path> clients, Optional<ClientAuthoritySource> kubeClients) {
    if (kubeClients.isPresent() && !certificateUser.equals("cn")) {
      throw UsageError.of(
          command,
          "--kube-client-ca needs --certificate-user cn: Kubernetes names users by their common"
              + " names");
    }
    Set<Credentials.Port> certificatePorts = EnumSet.noneOf(Credentials.Port.class);
    if (clients.isPresent()) {
      certificatePorts.add(Credentials.Port.GRPC);
    }
    if (kubeClients.isPresent()) {
      certificatePorts.add(Credentials.Port.KUBERNETES_API);
    }
    Identification identification = identification(certificatePorts);
    if (metricsAuth && identification.audiences().isEmpty() && identification.tokens().isEmpty()) {
      throw UsageError.of(command, "--metrics-auth needs --token-review or --token-file");
    }
    if (metricsAuth && mode(identification) == Authorization.NONE) {
      throw UsageError.of(
          command,
          "--metrics-auth needs --authorization kubernetes: otherwise every caller may read them");
    }
    return new AccessSettings(
        new AuthSettings(
            identification,
            mode(identification),
            new AuthSettings.Rechecks(
                Duration.ofSeconds(
                    requireInRange(command, "--recheck-every", recheckSeconds, 1, 86_400)),
                Duration.ofSeconds(
                    requireInRange(command, "--recheck-grace", graceSeconds, 0, 86_400))),
            new AuthSettings.Quotas(
                requireInRange(command, "--max-streams-per-user", userStreams, 1, 10_000_000),
                requireInRange(command, "--max-opens-per-user", userOpens, 1, 1_000_000),
                requireInRange(command, "--max-selections-per-user", userSelections, 1, 1_000_000),
                (long) requireInRange(command, "--unread-mib-per-user", userUnreadMib, 1, 8192)
                    << 20)),
        metricsAuth ? AccessSettings.Pages.GUARDED : AccessSettings.Pages.OPEN,
        audit(identification),
        new AuditSettings(
            Duration.ofSeconds(requireInRange(command, "--audit-interval", auditSeconds, 0, 3_600)),
            requireInRange(command, "--audit-lines-per-caller", auditLines, 1, 1_000_000),
            AuditSettings.DEFAULTS.maxCounters()));
  }

  private Identification identification(Set<Credentials.Port> certificatePorts) {
    if (!audiences.isEmpty() && !tokenReview) {
      throw UsageError.of(command, "--token-audience needs --token-review");
    }
    if (audiences.stream().anyMatch(String::isBlank)) {
      throw UsageError.of(command, "--token-audience needs a name");
    }
    List<String> reviewed = audiences.isEmpty() ? List.of(AUDIENCE) : audiences;
    CertificateUserField user =
        switch (certificateUser) {
          case "cn" -> CertificateUserField.COMMON_NAME;
          case "uri" -> CertificateUserField.URI;
          default ->
              throw UsageError.of(
                  command, "--certificate-user '" + certificateUser + "' is neither cn nor uri");
        };
    return new Identification(
        tokenReview ? reviewed : List.of(),
        Optional.ofNullable(tokenFile),
        certificatePorts.isEmpty()
            ? Optional.empty()
            : Optional.of(new Certificates(user, certificatePorts)),
        anonymous ? MissingCredentials.ANONYMOUS : MissingCredentials.REFUSED);
  }

  private Authorization mode(Identification identification) {
    return switch (authorization) {
      case "" -> identification.isEnabled() ? Authorization.KUBERNETES : Authorization.NONE;
      case "none" -> Authorization.NONE;
      case "kubernetes" -> {
        if (!identification.isEnabled()) {
          throw UsageError.of(
              command,
              "--authorization kubernetes needs authenticated callers: --token-review,"
                  + " --token-file, --tls-client-ca or --anonymous");
        }
        yield Authorization.KUBERNETES;
      }
      default ->
          throw UsageError.of(
              command, "--authorization '" + authorization + "' is neither kubernetes nor none");
    };
  }

  private AccessSettings.Audit audit(Identification identification) {
    return switch (auditLog) {
      case "" ->
          identification.isEnabled()
              ? new AccessSettings.Audit.Log()
              : new AccessSettings.Audit.Off();
      case "none" -> new AccessSettings.Audit.Off();
      case "log" -> new AccessSettings.Audit.Log();
      default -> new AccessSettings.Audit.InFile(Path.of(auditLog));
    };
  }
}
