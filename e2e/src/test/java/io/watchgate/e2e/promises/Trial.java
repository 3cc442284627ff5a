package io.watchgate.e2e.promises;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.watchgate.check.run.CheckObserver;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.check.run.CheckResult;
import io.watchgate.check.run.CheckRun;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.kube.Kubeconfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A check of a gateway while an adversary has it.
 *
 * @param faults how often each was inflicted
 */
record Trial(CheckResult result, Map<Fault, Integer> faults) {
  private static final int CONNECTIONS = 4;

  /** Things break while there are writes, and no longer. */
  static Trial of(
      Apiserver apiserver, Adversary adversary, List<? extends Fault> faults, CheckPlan plan)
      throws Exception {
    List<ManagedChannel> channels = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        channels.add(
            Grpc.newChannelBuilderForAddress(
                    "127.0.0.1", adversary.port(), InsecureChannelCredentials.create())
                .build());
      }
      Quiet observer = new Quiet(adversary, faults, channels);
      CheckResult result =
          new CheckRun(plan, Kubeconfig.load(apiserver.kubeconfig(), ""), channels, observer).run();
      return new Trial(result, observer.done);
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }

  private static final class Quiet implements CheckObserver {
    private final Adversary adversary;
    private final List<? extends Fault> faults;
    private final List<ManagedChannel> channels;
    private Map<Fault, Integer> done = Map.of();

    Quiet(Adversary adversary, List<? extends Fault> faults, List<ManagedChannel> channels) {
      this.adversary = adversary;
      this.faults = faults;
      this.channels = channels;
    }

    /** Once a second: gRPC would wait longer each time, and there would be little to judge. */
    @Override
    public void progress(double seconds, double of, long writes) {
      channels.forEach(ManagedChannel::resetConnectBackoff);
    }

    @Override
    public void writesBegin() {
      adversary.begin(faults);
    }

    @Override
    public void writesEnded() throws InterruptedException {
      done = adversary.rest();
    }
  }
}
