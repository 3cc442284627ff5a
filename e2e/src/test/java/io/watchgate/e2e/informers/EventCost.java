package io.watchgate.e2e.informers;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Events of a measured process in a span of time, and their cost.
 *
 * @param client CPU of the process per event, in microseconds
 * @param gateway CPU of the gateway per event, in microseconds; 0 without a gateway
 */
public record EventCost(long events, double client, double gateway) {

  /** Measures from now for {@code time}. */
  public static EventCost measure(
      MeasuredProcess process, @Nullable ServedGateway gateway, Duration time)
      throws IOException, InterruptedException {
    Duration gatewayBefore = cpu(gateway);
    Duration before = process.cpu();
    long eventsBefore = process.ask("events");
    Pause.of(time);
    Duration used = process.cpu().minus(before);
    Duration usedByGateway = cpu(gateway).minus(gatewayBefore);
    long events = process.ask("events") - eventsBefore;
    return new EventCost(
        events, used.toNanos() / 1e3 / events, usedByGateway.toNanos() / 1e3 / events);
  }

  private static Duration cpu(@Nullable ServedGateway gateway) {
    return gateway == null ? Duration.ZERO : gateway.cpu();
  }
}
