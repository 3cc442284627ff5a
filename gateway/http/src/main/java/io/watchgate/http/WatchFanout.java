package io.watchgate.http;

import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;
import java.time.Duration;

/**
 * Fan-out that the watches of a server use, perhaps together with the streams of another protocol.
 *
 * @param settings settings of streams; the age is ignored, because each watch has its own timeout
 * @param firstLoop number of the first event loop, for metrics: the other protocol's have lower
 *     ones
 */
public record WatchFanout(
    RouterRegistry routers, FanoutSettings settings, FanoutMetrics metrics, int firstLoop) {
  public WatchFanout {
    settings = settings.withStreamAge(Duration.ZERO);
  }
}
