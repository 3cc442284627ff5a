package io.watchgate.kube;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Source of credentials from an exec plugin. The plugin is run again shortly before the credential
 * expires, or after the apiserver has rejected it. It runs on a thread of its own, once for all
 * callers. While the old credential is valid, callers wait for at most 2 s and then use it ({@link
 * KubeSettings.Plugins}). Thread-safe.
 */
final class ExecCredentialSource implements CredentialSource {
  private static final Logger log = LoggerFactory.getLogger(ExecCredentialSource.class);

  private final ExecPlugin plugin;
  private final KubeSettings.Plugins settings;
  private final InstantSource clock;
  private final long maxWaitNs;

  // Guarded by this.
  private @Nullable ExecCredential credential;
  private Instant renewAt = Instant.MAX;
  private @Nullable CompletableFuture<RequestCredentials> renewal;

  private volatile @Nullable ExecPluginProcess running;
  private volatile boolean closed;

  ExecCredentialSource(ExecPlugin plugin, KubeSettings.Plugins settings, InstantSource clock) {
    this(plugin, settings, clock, KubeSettings.Plugins.MAX_CREDENTIAL_WAIT);
  }

  /**
   * Creates a source with another longest wait than {@link
   * KubeSettings.Plugins#MAX_CREDENTIAL_WAIT}, for tests on a loaded machine.
   */
  ExecCredentialSource(
      ExecPlugin plugin, KubeSettings.Plugins settings, InstantSource clock, Duration maxWait) {
    this.plugin = plugin;
    this.settings = settings;
    this.clock = clock;
    this.maxWaitNs = maxWait.toNanos();
  }

  @Override
  public RequestCredentials current() throws IOException {
    ExecCredential known;
    CompletableFuture<RequestCredentials> next;
    synchronized (this) {
      known = credential;
      if (known != null && clock.instant().isBefore(renewAt)) {
        return known.login();
      }
      next = renewal == null ? startRenewal(known) : renewal;
    }
    try {
      return timeLeft(known).isPositive() ? next.get(maxWaitNs, TimeUnit.NANOSECONDS) : next.get();
    } catch (TimeoutException e) {
      return Objects.requireNonNull(known).login();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the wait for exec plugin " + plugin.command() + " ended");
    } catch (ExecutionException e) {
      throw new IOException(Objects.requireNonNull(e.getCause()).getMessage(), e);
    }
  }

  /** Returns the time until a credential expires; zero if it does not. */
  private Duration timeLeft(@Nullable ExecCredential known) {
    return known == null || known.expires() == null
        ? Duration.ZERO
        : Duration.between(clock.instant(), known.expires());
  }

  private CompletableFuture<RequestCredentials> startRenewal(@Nullable ExecCredential known) {
    CompletableFuture<RequestCredentials> next = new CompletableFuture<>();
    renewal = next;
    Thread.ofVirtual()
        .name("exec-plugin")
        .start(
            () -> {
              try {
                next.complete(renewed(known));
              } catch (IOException | RuntimeException | Error e) { // all: callers wait for it
                clearRenewal();
                next.completeExceptionally(e);
              }
            });
    return next;
  }

  private synchronized void clearRenewal() {
    renewal = null;
  }

  private RequestCredentials renewed(@Nullable ExecCredential known) throws IOException {
    try {
      ExecCredential given = ExecCredential.of(run(), plugin);
      keep(given, renewalTime(given.expires()));
      return given.login();
    } catch (IOException e) {
      Duration left = timeLeft(known);
      if (known != null && left.isPositive()) {
        log.warn(
            "{}; its previous credential stays in use and expires at {}",
            e.getMessage(),
            known.expires());
        postpone(clock.instant().plus(left.dividedBy(2)));
        return known.login();
      }
      throw e;
    }
  }

  private synchronized void keep(ExecCredential given, Instant until) {
    credential = given;
    renewAt = until;
    renewal = null;
  }

  private synchronized void postpone(Instant until) {
    renewAt = until;
    renewal = null;
  }

  private Instant renewalTime(@Nullable Instant expires) {
    if (expires == null) {
      return Instant.MAX;
    }
    Duration quarter = Duration.between(clock.instant(), expires).dividedBy(4);
    Duration early =
        quarter.compareTo(settings.renewalMargin()) < 0 ? quarter : settings.renewalMargin();
    return early.isNegative() ? expires : expires.minus(early);
  }

  private byte[] run() throws IOException {
    ExecPluginProcess process = ExecPluginProcess.start(plugin);
    running = process;
    try {
      if (closed) { // perhaps before close() could see it
        process.kill();
      }
      return process.output(settings.runTimeout());
    } finally {
      running = null;
    }
  }

  /** Drops the credential, unless it has been renewed since. */
  @Override
  public synchronized void onRejected(RequestCredentials refused) {
    if (credential != null && credential.login().equals(refused)) {
      credential = null;
    }
  }

  /** Kills the plugin if it runs. */
  @Override
  public void close() {
    closed = true;
    ExecPluginProcess process = running;
    if (process != null) {
      process.kill();
    }
  }
}
