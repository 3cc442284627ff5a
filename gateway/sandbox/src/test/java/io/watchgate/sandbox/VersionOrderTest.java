package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The example in the documentation of CustomResourceDefinitions, with names that are not versions.
 */
final class VersionOrderTest {
  @Test
  void stableVersionsAreBeforeBetaBeforeAlphaBeforeOthers() {
    List<String> ordered =
        List.of(
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "foo1",
            "foo10");
    List<String> mixed = new ArrayList<>(ordered);
    Collections.shuffle(mixed, new Random(1));
    mixed.sort(VersionOrder.PREFERRED_FIRST);
    assertThat(mixed).isEqualTo(ordered);
  }
}
