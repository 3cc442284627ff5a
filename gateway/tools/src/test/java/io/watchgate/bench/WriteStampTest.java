package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Search for the annotation in different surroundings. */
class WriteStampTest {
  private static byte[] object(String before, long number, long intended) {
    return "%s{\"annotations\":{\"%s\":\"%s\"},\"managedFields\":[{\"f:%s\":{}}]}"
        .formatted(
            before,
            WriteStamp.ANNOTATION,
            WriteStamp.value(number, intended),
            WriteStamp.ANNOTATION)
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void find_atAnyOffset_readsTheStamp() {
    WriteStamp mark = new WriteStamp();
    for (String before : new String[] {"", "some", "some", "more than some", ""}) {
      byte[] bytes = object(before, 123_456_789_012L, 987_654_321_098_765L);
      assertThat(mark.find(bytes, 0, bytes.length)).isTrue();
      assertThat(mark.number()).isEqualTo(123_456_789_012L);
      assertThat(mark.scheduledNanos()).isEqualTo(987_654_321_098_765L);
    }
  }

  @Test
  void find_outsideTheGivenRange_isFalse() {
    byte[] bytes = object("", 1, 2);
    WriteStamp mark = new WriteStamp();
    assertThat(mark.find(bytes, 20, bytes.length)).isFalse();
    assertThat(mark.find(bytes, 0, 40)).isFalse();
    assertThat(mark.find(bytes, 0, 0)).isFalse();
  }

  @Test
  void values_haveTheSameSize() {
    assertThat(WriteStamp.value(0, 0))
        .hasSameSizeAs(WriteStamp.value(999_999_999_999L, 999_999_999_999_999L));
  }
}
