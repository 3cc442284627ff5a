package io.watchgate.sandbox.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.sandbox.patch.PatchException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MergePatchTest {
  private static JsonObject apply(String object, String patch) throws PatchException {
    JsonObject before = JsonParser.parseString(object).getAsJsonObject();
    JsonObject after = parse("application/merge-patch+json", patch).apply(before);
    assertThat(before).as("is not changed").isEqualTo(JsonParser.parseString(object));
    return after;
  }

  private static Patch parse(String mediaType, String patch) throws PatchException {
    return Patch.parse(mediaType, patch.getBytes(StandardCharsets.UTF_8), Optional.empty());
  }

  /**
   * The cases of RFC 7386, appendix A, that merge objects; then the apiserver's handling of null.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"a":"b"}               | {"a":"c"}                | {"a":"c"}
          {"a":"b"}               | {"b":"c"}                | {"a":"b","b":"c"}
          {"a":"b"}               | {"a":null}               | {}
          {"a":"b","b":"c"}       | {"a":null}               | {"b":"c"}
          {"a":["b"]}             | {"a":"c"}                | {"a":"c"}
          {"a":"c"}               | {"a":["b"]}              | {"a":["b"]}
          {"a":{"b":"c"}}         | {"a":{"b":"d","c":null}} | {"a":{"b":"d"}}
          {"a":[{"b":"c"}]}       | {"a":[1]}                | {"a":[1]}
          {"e":null}              | {"a":1}                  | {"e":null,"a":1}
          {}                      | {"a":{"bb":{"ccc":null}}} | {"a":{"bb":{}}}

          {"a":1}                 | {"a":{"b":null,"c":1}}   | {"a":{"c":1}}
          {}                      | {"a":[{"b":null,"c":1}]} | {"a":[{"c":1}]}
          {}                      | {"a":[null]}             | {"a":[null]}
          {"a":9007199254740993}  | {"b":1.50}               | {"a":9007199254740993,"b":1.50}
          """)
  void merges(String object, String patch, String expected) throws Exception {
    assertThat(apply(object, patch).toString())
        .isEqualTo(JsonParser.parseString(expected).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          []            | a merge patch must be a JSON object, not an array
          null          | a merge patch must be a JSON object, not null
          "a"           | a merge patch must be a JSON object, not a string
          true          | a merge patch must be a JSON object, not a boolean
          {"a":1}x      | the patch is not JSON
          {"a":         | the patch is not JSON: line 1, column 6
          {a:1}         | the patch is not JSON
          {'a':1}       | the patch is not JSON
          {"a":NaN}     | the patch is not JSON
          a: 1          | the patch is not JSON
          """)
  void malformedPatch_isRefused(String body, String message) {
    assertThatThrownBy(() -> apply("{}", body))
        .isInstanceOfSatisfying(
            PatchException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(Kind.MALFORMED);
              assertThat(e.kind().code()).isEqualTo(400);
            })
        .hasMessageStartingWith(message)
        .hasMessageNotContainingAny("Exception", "Strictness", "\n");
  }

  @Test
  void nestingIsBounded() {
    assertThatThrownBy(() -> apply("{}", "{\"a\":".repeat(100_000)))
        .isInstanceOf(PatchException.class)
        .hasMessage("the patch is nested too deeply: line 1, column 1277");
  }

  @Test
  void emptyBody_isRefused() {
    assertThatThrownBy(() -> apply("{}", ""))
        .isInstanceOf(PatchException.class)
        .hasMessage("the patch is empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "application/apply-patch+yaml", "text/plain", ""})
  void otherMediaTypesAreRefusedWithAHint(String mediaType) {
    assertThatThrownBy(() -> parse(mediaType, "{}"))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind().code()).isEqualTo(415))
        .hasMessageContaining("application/merge-patch+json");
  }

  @Test
  void strategicMergePatch_ofCustomResource_isRefused() {
    assertThatThrownBy(() -> parse("application/strategic-merge-patch+json", "{}"))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind().code()).isEqualTo(415))
        .hasMessageContaining("kubectl patch --type=merge");
  }

  @Test
  void result_sharesNothingWithInputs() throws Exception {
    JsonObject before = JsonParser.parseString("{\"a\":{\"b\":{}}}").getAsJsonObject();
    Patch patch = parse("application/merge-patch+json", "{\"c\":{\"d\":{}}}");
    JsonObject after = patch.apply(before);
    after.getAsJsonObject("a").getAsJsonObject("b").addProperty("x", 1);
    after.getAsJsonObject("c").getAsJsonObject("d").addProperty("x", 1);

    assertThat(patch.apply(before).toString()).isEqualTo("{\"a\":{\"b\":{}},\"c\":{\"d\":{}}}");
  }
}
