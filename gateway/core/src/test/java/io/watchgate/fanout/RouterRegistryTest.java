package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.VirtualTime;
import org.junit.jupiter.api.Test;

/** Tests of the resources that the streams of one user share. */
final class RouterRegistryTest {
  private final RouterRegistry routers =
      new RouterRegistry(
          Runnable::run, Runnable::run, new VirtualTime(), FanoutSettings.DEFAULTS.limits());

  @Test
  void streamsOfOneUser_shareItsResources() {
    UserResources one = routers.userResources("jane", 1 << 20);

    assertThat(routers.userResources("jane", 1 << 20)).isSameAs(one);
    assertThat(routers.userResources("joe", 1 << 20)).isNotSameAs(one);
    assertThat(routers.shared().isOfOneUser()).isFalse();
    assertThat(one.isOfOneUser()).isTrue();
  }
}
