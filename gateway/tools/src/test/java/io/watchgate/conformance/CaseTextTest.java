package io.watchgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CaseTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"a": {"utf8": "t1"}}                        | {"a": "dDE="}
          [{"json": {"b": 9007199254740993}}]          | ["eyJiIjo5MDA3MTk5MjU0NzQwOTkzfQ=="]
          {"repeat": "ab", "times": 3}                 | "ababab"
          {"json": {"t": {"repeat": "x", "times": 2}}} | "eyJ0IjoieHgifQ=="
          {"utf8": "t1", "other": 1}                   | {"utf8": "t1", "other": 1}
          """)
  void forms_areExpanded(String value, String expanded) {
    assertThat(CaseText.expand(JsonParser.parseString(value)))
        .isEqualTo(JsonParser.parseString(expanded));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"a": 1, "b": 2}   | {"a": 1}           | true
          {"a": 1}           | {"a": 1, "b": 2}   | false
          {"a": {"b": [1]}}  | {"a": {"b": [1]}}  | true
          [1, 2]             | [1]                | false
          1.0                | 1                  | true
          9007199254740993   | 9007199254740992   | false
          "1"                | 1                  | false
          null               | {}                 | false
          """)
  void values_includeParts(String value, String part, boolean includes) {
    assertThat(CaseText.includes(JsonParser.parseString(value), JsonParser.parseString(part)))
        .isEqualTo(includes);
  }
}
