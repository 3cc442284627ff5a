package io.watchgate.ops.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the charts of rates. */
final class RateChartsTest {
  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

  private static RateHistory.Sample sample(int second, double sent) {
    return new RateHistory.Sample(BEGIN.plusSeconds(second), 0, sent, 0.002);
  }

  @Test
  void samples_areAtTheirTimes_withAGapWhereThereAreNone() {
    StringBuilder html = new StringBuilder();
    RateCharts.append(html, List.of(sample(0, 10), sample(1, 20), sample(61, 40), sample(63, 20)));

    // The newest is at the right, at 299; 60 s without a sample are 60 units, and no line.
    assertThat(html)
        .contains("<path d=\"M236.0,75.0L237.0,50.0M297.0,0.0L299.0,50.0\"/>")
        .contains("data-values=\"10.0 20.0 40.0 20.0\"")
        .contains(
            "data-times=\"%d %d %d %d\""
                .formatted(
                    BEGIN.toEpochMilli(),
                    BEGIN.plusSeconds(1).toEpochMilli(),
                    BEGIN.plusSeconds(61).toEpochMilli(),
                    BEGIN.plusSeconds(63).toEpochMilli()));
  }

  @Test
  void withoutSamples_chartsAreEmpty() {
    StringBuilder html = new StringBuilder();
    RateCharts.append(html, List.of());
    assertThat(html).contains("<path d=\"\"/>").doesNotContain("NaN", "Infinity");
  }
}
