package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import org.junit.jupiter.api.TestInstance;

/** The tests with a real kube-apiserver, which validates the tests themselves. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RealApiserverTest implements UnmodifiedClientCases {
  private final Target target;

  RealApiserverTest(Apiserver apiserver) {
    target = Target.of(apiserver);
  }

  @Override
  public Target target() {
    return target;
  }
}
