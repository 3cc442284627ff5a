package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.bench.BenchPlan.Pace.Paced;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Assignment of each number to one write, by the lane of its object, at an even rate. */
class ScheduleTest {
  @ParameterizedTest
  @CsvSource({"8, 8", "100, 8", "13, 5", "7, 1"})
  void lanes_coverAllNumbersOnce(int objects, int lanes) {
    Schedule schedule = new Schedule(objects, lanes, 0, new Paced(1));
    List<Long> numbers = new ArrayList<>();
    for (int lane = 0; lane < lanes; lane++) {
      long last = 0;
      int steps = 3 * ((objects - lane - 1) / lanes + 1);
      for (int step = 0; step < steps; step++) {
        long number = schedule.number(lane, step);
        assertThat(number).isGreaterThan(last);
        assertThat(number % objects % lanes).isEqualTo(lane);
        numbers.add(number);
        last = number;
      }
    }
    Collections.sort(numbers);
    assertThat(numbers).isEqualTo(LongStream.range(objects, 4L * objects).boxed().toList());
  }

  @Test
  void warmUp_hasItsOwnRate() {
    Schedule schedule = new Schedule(10, 2, 1_000, new Paced(4, 20, Duration.ofSeconds(2)));
    assertThat(schedule.scheduledNanos(11)).isEqualTo(50_001_000);
    assertThat(schedule.scheduledNanos(50)).isEqualTo(2_000_001_000);
    assertThat(schedule.scheduledNanos(51)).isEqualTo(2_250_001_000L);
  }

  @Test
  void writes_areScheduledEvenlyFromTheBeginning() {
    Schedule schedule = new Schedule(10, 2, 1_000, new Paced(4));
    assertThat(schedule.scheduledNanos(10)).isEqualTo(1_000);
    assertThat(schedule.scheduledNanos(11)).isEqualTo(250_001_000);
    assertThat(schedule.scheduledNanos(14)).isEqualTo(1_000_001_000);
  }
}
