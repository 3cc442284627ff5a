package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import org.junit.jupiter.api.TestInstance;

/** That the programs find with a real kube-apiserver what the tests say they find. */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RealApiserverTest implements ServesKubernetes {
  private final Target target;

  RealApiserverTest(Apiserver apiserver) {
    target = Target.of(apiserver);
  }

  @Override
  public Target target() {
    return target;
  }
}
