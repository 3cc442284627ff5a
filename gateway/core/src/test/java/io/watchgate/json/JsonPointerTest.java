package io.watchgate.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonPointerTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "/a, a",
        "/a/b, a|b",
        "/, -",
        "/a/, a|-",
        "//a, -|a",
        "/~0, ~",
        "/~1, /",
        "/~01, ~1",
        "/~00~10, ~0/0",
        "/example.com~1owner/0, example.com/owner|0",
        "/é 𝄞, é 𝄞"
      })
  void pointer_hasOneText(String text, String names) throws JsonException {
    JsonPointer pointer = JsonPointer.parse(text);

    assertThat(pointer.names()).isEqualTo(List.of(names.replace("-", "").split("\\|", -1)));
    assertThat(pointer.text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a/b", "#/a", "$.a", "/~", "/a~", "/~2", "/a~/b", "/~~0", " /a"})
  void invalidPointer_isRefused(String text) {
    assertThatThrownBy(() -> JsonPointer.parse(text)).isInstanceOf(JsonException.class);
  }

  @Test
  void badTilde_isReportedWithColumn() {
    assertThatThrownBy(() -> JsonPointer.parse("/ab~c")).hasMessageContaining("column 4 ");
  }
}
