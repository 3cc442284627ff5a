package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SendCountersTest {
  /** A possible value of a nanosecond clock. */
  private long now = Long.MAX_VALUE - 5;

  private final List<Long> lags = new ArrayList<>();
  private final SendCounters counters =
      new SendCounters(
          new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED),
          new TimeSource(InstantSource.system(), () -> now),
          measuring());

  @Test
  void change_isMeasuredAtItsFirstStreamOnly() {
    long received = now;
    now += 10; // overflows
    counters.recordDelivery(received);
    now += 10;
    counters.recordDelivery(received);
    assertThat(lags).containsExactly(10L);
  }

  @Test
  void laggingStreams_areNotMeasured() {
    long older = now + 1;
    long newer = now + 20;
    now += 21;
    counters.recordDelivery(newer);
    counters.recordDelivery(older);
    counters.recordDelivery(newer);
    assertThat(lags).containsExactly(1L);
  }

  @Test
  void earlierChanges_areNotMeasured() {
    counters.recordDelivery(now - 1);
    assertThat(lags).isEmpty();
  }

  private FanoutMetrics measuring() {
    return (FanoutMetrics)
        Proxy.newProxyInstance(
            FanoutMetrics.class.getClassLoader(),
            new Class<?>[] {FanoutMetrics.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("delivered");
              lags.add((Long) arguments[1]);
              return null;
            });
  }
}
