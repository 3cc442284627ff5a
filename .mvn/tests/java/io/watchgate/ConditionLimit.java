package io.watchgate;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Time that tests wait for a condition if they name none: three minutes. It only guards against a
 * hang, and costs nothing while tests pass. Awaitility's own ten seconds are too short on a loaded
 * machine, where a thread may stand still for seconds.
 */
public final class ConditionLimit implements LauncherSessionListener {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(LIMIT);
  }
}
