package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of Go's JSON encoding and of the equality of objects. */
final class GoJsonTextTest {
  @Test
  void strings_areEscapedLikeGo() {
    JsonObject object = new JsonObject();
    object.addProperty("k", "<>&='\"\\/\b\f\n\r\t\u0001\u007f\u2028\u2029\u00e9\ud83d\ude00");
    object.addProperty("half", "\ud83d|\ude00");
    assertThat(GoJsonText.text(object, GoJsonText.Order.AS_GIVEN))
        .isEqualTo(
            "{\"k\":\"\\u003c\\u003e\\u0026='\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\u007f\\u2028\\u2029"
                + "\u00e9\ud83d\ude00\",\"half\":\"\\ufffd|\\ufffd\"}");
  }

  @Test
  void members_areInGivenOrSortedOrder() {
    JsonObject object =
        JsonParser.parseString("{\"b\":[{\"z\":1e3,\"y\":null}],\"a\":{},\"c\":[]}")
            .getAsJsonObject();
    assertThat(GoJsonText.text(object, GoJsonText.Order.AS_GIVEN))
        .isEqualTo("{\"b\":[{\"z\":1e3,\"y\":null}],\"a\":{},\"c\":[]}");
    assertThat(GoJsonText.text(object, GoJsonText.Order.SORTED))
        .isEqualTo("{\"a\":{},\"b\":[{\"y\":null,\"z\":1e3}],\"c\":[]}");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      textBlock =
          """
          {"a":1,"b":[1,{}]}     | {"b":[1,{}],"a":1}     | true
          {"a":9007199254740993} | {"a":9007199254740992} | false
          {"a":1}                | {"a":"1"}              | false
          {"a":true}             | {"a":"true"}           | false
          {"a":null}             | {}                     | false
          {"a":null}             | {"b":null}             | false
          {"a":[1,2]}            | {"a":[2,1]}            | false
          {"a":[1]}              | {"a":[1,1]}            | false
          {"a":{}}               | {"a":[]}               | false
          {"a":null}             | {"a":null}             | true
          """)
  void objects_areComparedByContent(String left, String right, boolean same) {
    assertThat(
            ObjectNormalizer.isEqual(JsonParser.parseString(left), JsonParser.parseString(right)))
        .isEqualTo(same);
  }
}
