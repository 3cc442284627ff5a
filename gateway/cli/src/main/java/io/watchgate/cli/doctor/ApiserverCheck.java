package io.watchgate.cli.doctor;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.kube.AccessRight;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.OwnAccessClient;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.RawApiClient.Message;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Check of the way to an apiserver: its address, its certificate, the credentials, the clock and
 * the version. Blocks, at most for the timeouts of the requests.
 */
public final class ApiserverCheck implements AutoCloseable {
  /** Minor version of Kubernetes 1 that the tests run with. */
  static final int TESTED_MINOR = 36;

  /** First minor version that has all fields of the printed manifests. */
  private static final int MANIFESTS_MINOR = 27;

  private static final Pattern MINOR = Pattern.compile("v1\\.([0-9]{1,4})\\..*");

  private final ClientConfig config;
  private final String target;
  private final RawApiClient api;
  private final OwnAccessClient account;
  private OptionalInt minor = OptionalInt.empty();

  /**
   * Creates a check, without a request to the apiserver.
   *
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public ApiserverCheck(ClientConfig config) throws ConfigException {
    KubeSettings settings = KubeSettings.DEFAULT.withRequestTimeout(KubeSettings.Reviews.TIMEOUT);
    this.config = config;
    this.target = target(config);
    this.api = RawApiClient.of(config, settings);
    this.account = OwnAccessClient.of(config, settings);
  }

  /** Returns the apiserver as findings name it. */
  public static String target(ClientConfig config) {
    return config.serverUrl().replaceFirst("/$", "");
  }

  /** Returns the findings, in the order of the steps, up to the first problem. */
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    if (!config.isProxied()) {
      findings.addAll(address().findings());
    }
    if (Finding.hasProblem(findings)) {
      return findings;
    }
    try {
      addVersion(findings);
      findings.add(ofAccount());
      if (config.isUnverified()) {
        findings.add(
            Finding.warning(
                target,
                "trust",
                "insecure-skip-tls-verify: the certificate is not verified",
                "A host on the way can read and change what is served: give the kubeconfig a"
                    + " certificate-authority."));
      }
    } catch (KubeException e) {
      findings.add(problem(target, "request", e.failure()));
    }
    return findings;
  }

  /** Returns a check of features with the connections of this one. */
  public FeatureCheck features() {
    return new FeatureCheck(target, api, minor);
  }

  /** Returns whether the account may list and watch a type; false if the apiserver does not say. */
  public boolean canRead(ApiResource type) {
    try {
      for (String verb : List.of("list", "watch")) {
        if (!account.has(new AccessRight.OnResource(type.group(), type.resource(), "", "", verb))) {
          return false;
        }
      }
      return true;
    } catch (KubeException e) {
      return false;
    }
  }

  private EndpointCheck address() {
    URI url = URI.create(config.serverUrl());
    boolean usesTls = url.getScheme().equals("https");
    String host = url.getHost().replaceAll("[\\[\\]]", "");
    return new EndpointCheck(
        ServerKind.APISERVER,
        target,
        host,
        url.getPort() >= 0 ? url.getPort() : usesTls ? 443 : 80,
        usesTls ? Optional.of(config.tlsServerName()) : Optional.empty());
  }

  private void addVersion(List<Finding> findings) throws KubeException {
    Instant before = Instant.now();
    RawApiClient.Dated answer;
    try {
      answer = api.sendDated(Message.get("version"));
    } catch (KubeException e) {
      if (e.failure() instanceof UpstreamFailure.Forbidden) {
        findings.add(
            Finding.warning(
                target,
                "version",
                "the account may not get /version",
                "Grant it the ClusterRole system:public-info-viewer to see version and clock."));
        return;
      }
      throw e;
    }
    new ClockCheck(target, before, Instant.now()).finding(answer.date()).ifPresent(findings::add);
    findings.add(ofVersion(answer.body()));
  }

  private Finding ofVersion(byte[] body) {
    String version = TerminalEscaper.inLine(RawApiClient.textIn(body, "gitVersion"));
    if (version.isEmpty()) {
      return Finding.problem(
          target,
          "version",
          "the answer for /version has no version",
          "Check that 'server' of the kubeconfig's cluster is the URL of an apiserver.");
    }
    Matcher parts = MINOR.matcher(version);
    minor =
        parts.matches() ? OptionalInt.of(Integer.parseInt(parts.group(1))) : OptionalInt.empty();
    if (minor.equals(OptionalInt.of(TESTED_MINOR))) {
      return Finding.ok(target, "version", version);
    }
    return Finding.warning(
        target,
        "version",
        version + "; Watchgate is tested with Kubernetes 1." + TESTED_MINOR,
        minor.orElse(MANIFESTS_MINOR) < MANIFESTS_MINOR
            ? "The printed manifests have fields of Kubernetes 1."
                + MANIFESTS_MINOR
                + ": upgrade the cluster."
            : "The features below are those that it uses; 'watchgate check' judges a gateway in"
                + " front of this apiserver.");
  }

  private Finding ofAccount() throws KubeException {
    Optional<String> name = account.userName();
    if (name.isEmpty()) {
      return Finding.warning(
          target,
          "account",
          "the apiserver does not say who asks (SelfSubjectReview, since Kubernetes 1.28)",
          "Nothing depends on it, except the name in the YAML of 'serve --check'.");
    }
    return name.get().equals("system:anonymous")
        ? Finding.problem(
            target,
            "account",
            "system:anonymous: no credentials were sent",
            "Give the kubeconfig's user a token, an exec plugin or a client certificate.")
        : Finding.ok(target, "account", TerminalEscaper.inLine(name.get()));
  }

  /** Returns the finding about a request that failed. */
  static Finding problem(String target, String check, UpstreamFailure failure) {
    return Finding.problem(
        target, check, TerminalEscaper.inLine(failure.message()), advice(failure));
  }

  private static String advice(UpstreamFailure failure) {
    return switch (failure) {
      case UpstreamFailure.Transport _ ->
          "Check 'server', 'certificate-authority' and 'proxy-url' of the kubeconfig's cluster, and"
              + " that the apiserver runs.";
      case UpstreamFailure.Unauthorized _ ->
          "Renew the credentials of the kubeconfig's user: a new token, or a new certificate.";
      case UpstreamFailure.Forbidden _ ->
          "Grant the account the ClusterRole system:basic-user, which each account usually has.";
      case UpstreamFailure.TypeGone _ ->
          "Check that 'server' of the kubeconfig's cluster is the URL of an apiserver; a sandbox"
              + " has no reviews.";
      default -> "Run this again; if it stays so, the log of the apiserver says more.";
    };
  }

  @Override
  public void close() {
    account.close();
    api.close();
  }
}
