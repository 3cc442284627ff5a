package io.watchgate.javadoc;

import org.junit.jupiter.api.Test;

/** Test of the example of a test in docs/how-to/java.md: it runs as printed. */
final class PageExamplesTest {
  @Test
  void exampleOfTest_passes() throws Exception {
    new PageExamples().test();
  }
}
