package io.watchgate.kube;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an exec plugin gave out, until shortly before it expires or until the apiserver refuses it:
 * then the plugin is run again, by one thread while others wait for it. Thread-safe.
 */
final class PluginLogin implements LoginSource {
  private static final Logger log = LoggerFactory.getLogger(PluginLogin.class);

  private final ExecPlugin plugin;
  private final KubeSettings.Plugins settings;
  private final InstantSource clock;

  /** Held while the plugin runs. Guards what follows, but for what is volatile. */
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable ExecCredential held;
  private Instant renew = Instant.MAX;
  private @Nullable String failure;

  /** How many runs failed; who sees it grow while waiting shares the failure. */
  private final AtomicInteger failures = new AtomicInteger();

  private volatile @Nullable PluginProcess running;
  private volatile boolean closed;

  PluginLogin(ExecPlugin plugin, KubeSettings.Plugins settings, InstantSource clock) {
    this.plugin = plugin;
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public Login current() throws IOException {
    int before = failures.get();
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the wait for exec plugin " + plugin.command() + " ended");
    }
    try {
      ExecCredential known = held;
      if (known != null && clock.instant().isBefore(renew)) {
        return known.login();
      }
      if (failures.get() != before && failure != null) {
        throw new IOException(failure);
      }
      return renewed(known);
    } finally {
      lock.unlock();
    }
  }

  private Login renewed(@Nullable ExecCredential known) throws IOException {
    try {
      ExecCredential given = ExecCredential.of(run(), plugin);
      held = given;
      renew = renewal(given.expires());
      return given.login();
    } catch (InterruptedIOException e) {
      throw e; // nobody else's failure
    } catch (IOException e) {
      Instant now = clock.instant();
      if (known != null && known.expires() != null && now.isBefore(known.expires())) {
        log.warn("{}; what it gave before is good until {}", e.getMessage(), known.expires());
        renew = now.plus(Duration.between(now, known.expires()).dividedBy(2));
        return known.login();
      }
      failure = e.getMessage();
      failures.incrementAndGet();
      throw e;
    }
  }

  private Instant renewal(@Nullable Instant expires) {
    if (expires == null) {
      return Instant.MAX;
    }
    Duration quarter = Duration.between(clock.instant(), expires).dividedBy(4);
    Duration early = quarter.compareTo(settings.early()) < 0 ? quarter : settings.early();
    return early.isNegative() ? expires : expires.minus(early);
  }

  private byte[] run() throws IOException {
    PluginProcess process = PluginProcess.start(plugin);
    running = process;
    try {
      if (closed) { // perhaps before close() could see it
        process.end();
      }
      return process.output(settings.run());
    } finally {
      running = null;
    }
  }

  /** Forgets it, unless another was given out since. */
  @Override
  public void rejected(Login refused) {
    lock.lock();
    try {
      if (held != null && held.login().equals(refused)) {
        held = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the plugin if it runs. */
  @Override
  public void close() {
    closed = true;
    PluginProcess process = running;
    if (process != null) {
      process.end();
    }
  }
}
