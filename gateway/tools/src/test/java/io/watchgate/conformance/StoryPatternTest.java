package io.watchgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StoryPatternTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ["A", "B"]               | A B     | true
          ["A", "B"]               | A       | false
          ["A", "B"]               | A B B   | false
          [["A", "B"], "C"]        | B A C   | true
          [["A", "B"], "C"]        | B B C   | false
          [["A", "A"]]             | A       | false
          [{"repeated": "A"}, "B"] | A A A B | true
          [{"repeated": "A"}, "B"] | B       | false
          [{"repeated": "A"}]      | A B     | false
          []                       | ''      | true
          """)
  void lines_matchPattern(String pattern, String lines, boolean matches) throws Exception {
    StoryPattern read = StoryPattern.read(JsonParser.parseString(pattern).getAsJsonArray());

    assertThat(read.matches(lines.isEmpty() ? List.of() : List.of(lines.split(" "))))
        .isEqualTo(matches);
  }
}
