package io.watchgate.e2e.differential;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Json;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;

/** Random labels, texts and numbers that are prone to encoding errors. */
final class RandomContent {
  private static final List<String> PIECES =
      List.of(
          "plain ",
          "\"quoted\" \\ / ",
          "<a href='x'>&amp;</a>",
          "line\nline\r\n\ttab",
          "\u2028\u2029",
          "\u0001\u001f\u007f\u0080",
          "e\u0301 \u00e9 \u00df \u0130",
          "\u202eright to left\u202c \u05d0\u0628",
          "\ufeff\ufffd\uffff",
          "\ud83d\ude00\ud83c\udff3\ufe0f\u200d\ud83c\udf08",
          "\\u0041 \\n {\"a\":[1,2]}",
          "\u4e2d\u6587 \ud840\udc00");

  private static final List<String> NUMBERS =
      List.of(
          "9007199254740993",
          "-9007199254740995",
          "9223372036854775807",
          "-9223372036854775808",
          "123456789012345678901234567890",
          "0.1",
          "1e3",
          "-0.000001",
          "1.7976931348623157e308");

  private final Random random;

  RandomContent(Random random) {
    this.random = random;
  }

  /** Returns a text of up to about 2 KB. */
  String text() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(60); i >= 0; i--) {
      text.append(pick(PIECES)).append(random.nextInt(1000));
    }
    return text.toString();
  }

  /** Returns every label with a value or null: in a merge patch null removes a label. */
  ObjectNode labels() {
    ObjectNode labels = Json.object();
    labels.put("app", random.nextInt(8) == 0 ? null : pick(List.of("web", "api", "db")));
    labels.put(
        "tier",
        switch (random.nextInt(5)) {
          case 0 -> null;
          case 1 -> "none";
          default -> Integer.toString(1 + random.nextInt(8));
        });
    labels.put("canary", random.nextInt(3) == 0 ? pick(List.of("yes", "")) : null);
    return labels;
  }

  /** Returns values that the apiserver keeps unchanged, regardless of the schema. */
  ObjectNode values() {
    ObjectNode values = Json.object();
    String number = pick(NUMBERS);
    if (number.matches("-?[0-9]+")) {
      values.put("number", new BigInteger(number));
    } else {
      values.put("number", new BigDecimal(number));
    }
    values.put("text", text());
    values.putArray("list").add(random.nextLong()).addNull().add(text()).addObject().put("", false);
    return values;
  }

  /** Returns the selectable fields of a widget; null removes a field. */
  ObjectNode fields() {
    ObjectNode fields = Json.object();
    fields.put("color", random.nextInt(4) == 0 ? null : pick(List.of("red", "green", "blue")));
    fields.put("size", random.nextInt(4) == 0 ? null : (Integer) random.nextInt(5));
    fields.put("active", random.nextInt(4) == 0 ? null : (Boolean) random.nextBoolean());
    return fields;
  }

  /** Returns a copy without null values. */
  static ObjectNode present(ObjectNode patch) {
    patch.removeNulls();
    return patch;
  }

  <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
