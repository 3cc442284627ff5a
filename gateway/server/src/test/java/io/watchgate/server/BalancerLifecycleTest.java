package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.balance.Balancer;
import io.watchgate.balance.RedirectQuota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that watches over the Kubernetes API count as streams of a replica. */
final class BalancerLifecycleTest {
  private final List<String> calls = new ArrayList<>();

  /** Five streams of gRPC. */
  private final Balancer.Streams grpc =
      new Balancer.Streams() {
        @Override
        public int count() {
          return 5;
        }

        @Override
        public int shed(int count, Duration age, Duration within) {
          calls.add("shed " + count);
          return count;
        }

        @Override
        public void setRedirectQuota(RedirectQuota quota) {
          calls.add("refuse " + quota.maxRefusals() + " above " + quota.threshold());
        }
      };

  @Test
  void watches_areCountedAndOnlyStreamsOfGrpcAreMoved() throws Exception {
    Balancer.Streams streams = BalancerLifecycle.withWatches(grpc, () -> 30, () -> true);
    assertThat(streams.count()).isEqualTo(35);
    assertThat(streams.shed(2, Duration.ZERO, Duration.ZERO)).isEqualTo(2);
    streams.setRedirectQuota(new RedirectQuota(/* threshold= */ 33, /* maxRefusals= */ 4));
    assertThat(calls).containsExactly("shed 2", "refuse 4 above 3");
  }

  @Test
  void replicaThatIsNotReady_hasNoCount() {
    assertThat(BalancerLifecycle.withWatches(grpc, () -> 30, () -> false).count()).isNegative();
  }
}
