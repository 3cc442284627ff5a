package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Test that each mutation still applies and compiles, in every build, so that a change which breaks
 * a patch is detected immediately.
 */
final class MutationTest {
  static List<Mutation> mutations() {
    return Mutation.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutations")
  void mutation_appliesAndCompiles(Mutation mutation) throws IOException {
    assertThat(mutation.compile()).isNotEmptyDirectory();
  }

  static List<NamedTest> tests() {
    return Mutation.all().stream()
        .map(Mutation::noticed)
        .filter(Detection.ByTest.class::isInstance)
        .map(noticed -> ((Detection.ByTest) noticed).test())
        .toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tests")
  void detectingTest_exists(NamedTest test) throws ClassNotFoundException {
    assertThat(test.find().isAnnotationPresent(Test.class)).isTrue();
  }
}
