package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ResourceVersionTest {

  @ParameterizedTest
  @CsvSource({
    "1, 2",
    "9, 10",
    "99, 100",
    "9223372036854775807, 9223372036854775808",
    "18446744073709551615, 18446744073709551616",
    "340282366920938463463374607431768211455, 340282366920938463463374607431768211456",
    "999999999999999999999999999999999999999, 1000000000000000000000000000000000000000",
    "1000000000000000000000000000000000000000, 9999999999999999999999999999999999999999"
  })
  void versions_areOrderedAsNumbers(String lower, String higher) {
    assertThat(new ResourceVersion(lower)).isLessThan(new ResourceVersion(higher));
    assertThat(new ResourceVersion(higher).isAfter(new ResourceVersion(lower))).isTrue();
    assertThat(new ResourceVersion(lower).isAfter(new ResourceVersion(higher))).isFalse();
    assertThat(new ResourceVersion(lower).isAfter(new ResourceVersion(lower))).isFalse();
  }

  @Test
  void order_equalsOrderOfBigIntegers() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      BigInteger left = new BigInteger(1 + random.nextInt(132), random).add(BigInteger.ONE);
      BigInteger right = new BigInteger(1 + random.nextInt(132), random).add(BigInteger.ONE);
      int order =
          new ResourceVersion(left.toString()).compareTo(new ResourceVersion(right.toString()));
      assertThat(Integer.signum(order)).isEqualTo(left.compareTo(right));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "00",
        "01",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "0x1",
        "a",
        "1a",
        "\u0661",
        "1_0",
        "10000000000000000000000000000000000000000"
      })
  void unorderedVersion_isRefused(String text) {
    assertThat(ResourceVersion.parse(text)).isNull();
    assertThatThrownBy(() -> new ResourceVersion(text))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void fortyDigits_areAccepted() {
    assertThat(ResourceVersion.parse("9".repeat(40))).isNotNull();
    assertThat(ResourceVersion.parse("9".repeat(41))).isNull();
  }

  @Test
  void previous_isOneLess_exceptOfTheFirst() {
    assertThat(new ResourceVersion("10").previous()).hasToString("9");
    assertThat(new ResourceVersion("1" + "0".repeat(39)).previous()).hasToString("9".repeat(39));
    assertThat(new ResourceVersion("1").previous()).hasToString("1");
  }
}
