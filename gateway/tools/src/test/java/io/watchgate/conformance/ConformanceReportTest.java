package io.watchgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ConformanceReportTest {
  private static final CaseResult PASSED =
      new CaseResult("good", Duration.ofMillis(1_250), List.of());
  private static final CaseResult FAILED =
      new CaseResult("bad", Duration.ZERO, List.of("printed <\u001b>"));

  @Test
  void unknownFailure_doesNotHold() {
    ConformanceReport report = new ConformanceReport(Set.of());

    assertThat(report.add(PASSED)).isEqualTo("passed: good 1.3 s\n");
    assertThat(report.add(FAILED)).isEqualTo("FAILED: bad 0.0 s\n  printed <\u001b>\n");
    assertThat(report.holds()).isFalse();
    assertThat(report.summary()).isEqualTo("1 of 2 cases pass\n");
    assertThat(report.junit())
        .contains("tests=\"2\" failures=\"1\"", "name=\"good\" time=\"1.3\"", "printed &lt;?&gt;");
  }

  @Test
  void knownFailure_holds() {
    ConformanceReport report = new ConformanceReport(Set.of("bad", "not run"));

    assertThat(report.add(PASSED)).startsWith("passed: good");
    assertThat(report.add(FAILED)).startsWith("known failure: bad");
    assertThat(report.holds()).isTrue();
    assertThat(report.junit()).contains("failures=\"0\"");
  }

  @Test
  void knownFailureThatPasses_doesNotHold() {
    ConformanceReport report = new ConformanceReport(Set.of("good"));

    assertThat(report.add(PASSED)).startsWith("PASSED, listed as failing: good");
    assertThat(report.holds()).isFalse();
    assertThat(report.junit()).contains("failures=\"1\"");
  }
}
