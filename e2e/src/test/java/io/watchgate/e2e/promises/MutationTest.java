package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In every build, so that whoever changes what a patch changes hears of it at once. */
final class MutationTest {
  static List<Mutation> mutations() {
    return Mutation.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutations")
  void eachFitsTheGatewayAndCompiles(Mutation mutation) throws IOException {
    assertThat(mutation.compile()).isNotEmptyDirectory();
  }
}
