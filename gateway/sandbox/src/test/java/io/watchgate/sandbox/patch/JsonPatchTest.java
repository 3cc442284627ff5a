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

class JsonPatchTest {
  private static JsonObject apply(String object, String patch) throws PatchException {
    JsonObject before = JsonParser.parseString(object).getAsJsonObject();
    JsonObject after =
        Patch.parse(
                "application/json-patch+json",
                patch.getBytes(StandardCharsets.UTF_8),
                Optional.empty())
            .apply(before);
    assertThat(before).as("is not changed").isEqualTo(JsonParser.parseString(object));
    return after;
  }

  /** The first cases are those of RFC 6902, appendix A, in the same order. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"foo":"bar"}                  | {"op":"add","path":"/baz","value":"qux"}          | {"baz":"qux","foo":"bar"}
          {"foo":["bar","baz"]}          | {"op":"add","path":"/foo/1","value":"qux"}        | {"foo":["bar","qux","baz"]}
          {"baz":"qux","foo":"bar"}      | {"op":"remove","path":"/baz"}                     | {"foo":"bar"}
          {"foo":["bar","qux","baz"]}    | {"op":"remove","path":"/foo/1"}                   | {"foo":["bar","baz"]}
          {"baz":"qux","foo":"bar"}      | {"op":"replace","path":"/baz","value":"boo"}      | {"baz":"boo","foo":"bar"}
          {"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}} | {"op":"move","from":"/foo/waldo","path":"/qux/thud"} | {"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}
          {"foo":["all","grass","cows","eat"]} | {"op":"move","from":"/foo/1","path":"/foo/3"} | {"foo":["all","cows","eat","grass"]}
          {"baz":"qux","foo":["a",2,"c"]} | {"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2} | {"baz":"qux","foo":["a",2,"c"]}
          {"foo":"bar"}                  | {"op":"add","path":"/child","value":{"grandchild":{}}} | {"foo":"bar","child":{"grandchild":{}}}
          {"foo":"bar"}                  | {"op":"add","path":"/baz","value":"qux","xyz":123} | {"foo":"bar","baz":"qux"}
          {"/":9,"~1":10}                | {"op":"test","path":"/~01","value":10}            | {"/":9,"~1":10}
          {"foo":["bar"]}                | {"op":"add","path":"/foo/-","value":["abc","def"]} | {"foo":["bar",["abc","def"]]}

          {"/":9,"~1":10}                | {"op":"remove","path":"/~1"}                      | {"~1":10}
          {"":1,"a":2}                   | {"op":"remove","path":"/"}                        | {"a":2}
          {"a":[1]}                      | {"op":"add","path":"/a/1","value":2}              | {"a":[1,2]}
          {"a":[1]}                      | {"op":"add","path":"/a/0","value":0}              | {"a":[0,1]}
          {"a":{"b":1}}                  | {"op":"copy","from":"/a","path":"/c"},{"op":"remove","path":"/a/b"} | {"a":{},"c":{"b":1}}
          {"a":[{"b":1}]}                | {"op":"replace","path":"/a/0/b","value":{"c":null}} | {"a":[{"b":{"c":null}}]}
          {"a":1}                        | {"op":"replace","path":"","value":{"b":2}}        | {"b":2}
          {"a":1}                        | {"op":"test","path":"","value":{"a":1}}           | {"a":1}
          {"a":{"x":1,"y":[2]}}          | {"op":"test","path":"/a","value":{"y":[2],"x":1}} | {"a":{"x":1,"y":[2]}}
          {"a":9007199254740993}         | {"op":"test","path":"/a","value":9007199254740993} | {"a":9007199254740993}
          {"a":1}                        | {"op":"move","from":"/a","path":"/a"}             | {"a":1}
          """)
  void validOperations_areApplied(String object, String operations, String expected)
      throws Exception {
    assertThat(apply(object, "[" + operations + "]")).isEqualTo(JsonParser.parseString(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          a member that is not there     | {"a":1}   | {"op":"replace","path":"/b","value":2}      | {"a":1,"b":2}
          an add without value           | {"a":1}   | {"op":"add","path":"/b"}                    | {"a":1,"b":null}
          a copy of nothing              | {"a":1}   | {"op":"copy","from":"/b","path":"/c"}       | {"a":1,"c":null}
          a test for nothing             | {"a":1}   | {"op":"test","path":"/b","value":null}      | {"a":1}
          an index from the end          | {"a":[1,2]} | {"op":"remove","path":"/a/-1"}            | {"a":[1]}
          an insertion from the end      | {"a":[1,2]} | {"op":"add","path":"/a/-1","value":3}     | {"a":[1,2,3]}
          an element into the next one   | {"a":[{"b":1},{"c":2}]} | {"op":"move","from":"/a/0","path":"/a/0/d"} | {"a":[{"c":2,"d":{"b":1}}]}
          an index with zeros            | {"a":[1,2]} | {"op":"remove","path":"/a/01"}            | {"a":[1]}
          """)
  void apiserverExtensions_areAccepted(
      String what, String object, String operations, String expected) throws Exception {
    assertThat(apply(object, "[" + operations + "]"))
        .as(what)
        .isEqualTo(JsonParser.parseString(expected));
  }

  /** The last column is the expected message. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"baz":"qux"} | {"op":"test","path":"/baz","value":"bar"}        | operation 0 (test /baz) does not apply: the value there is another one
          {"foo":"bar"} | {"op":"add","path":"/baz/bat","value":"qux"}     | operation 0 (add /baz/bat) does not apply: nothing holds /baz/bat: what leads there is missing
          {"/":9,"~1":10} | {"op":"test","path":"/~01","value":"10"}       | operation 0 (test /~01) does not apply: the value there is another one
          {"a":1}       | {"op":"add","path":"/b","value":1},{"op":"remove","path":"/c"} | operation 1 (remove /c) does not apply: there is no /c
          {"a":[1]}     | {"op":"add","path":"/a/2","value":1}             | operation 0 (add /a/2) does not apply: /a/2 is not an index of that array
          {"a":[1]}     | {"op":"remove","path":"/a/1"}                    | operation 0 (remove /a/1) does not apply: /a/1 is not an index of that array
          {"a":[1]}     | {"op":"remove","path":"/a/-"}                    | operation 0 (remove /a/-) does not apply: /a/- is not an index of that array
          {"a":[1]}     | {"op":"replace","path":"/a/x","value":1}         | operation 0 (replace /a/x) does not apply: /a/x is not an index of that array
          {"a":[1]}     | {"op":"add","path":"/a/-3","value":1}            | operation 0 (add /a/-3) does not apply: /a/-3 is not an index of that array
          {"a":1}       | {"op":"move","from":"/b","path":"/c"}            | operation 0 (move /c) does not apply: there is no /b
          {"a":{"b":1}} | {"op":"move","from":"/a","path":"/a/b/c"}        | operation 0 (move /a/b/c) does not apply: nothing holds /a/b/c: what leads there is missing
          {"a":[{"b":1}]} | {"op":"move","from":"/a/0","path":"/a/0/c"}    | operation 0 (move /a/0/c) does not apply: nothing holds /a/0/c: what leads there is missing
          {"a":1}       | {"op":"remove","path":""}                        | operation 0 (remove ) does not apply: the whole object can only be replaced or tested
          {"a":1}       | {"op":"add","path":"/a/b","value":1}             | operation 0 (add /a/b) does not apply: nothing holds /a/b: what leads there is missing
          {"a":1}       | {"op":"test","path":"/a","value":1.0}            | operation 0 (test /a) does not apply: the value there is another one
          {"a":9007199254740993} | {"op":"test","path":"/a","value":9007199254740992} | operation 0 (test /a) does not apply: the value there is another one
          {"a":1}       | {"op":"frob","path":"/a"}                        | operation 0: op must be add, remove, replace, move, copy or test, not "frob"
          {"a":1}       | {"path":"/a"}                                    | operation 0 has no op
          {"a":1}       | {"op":"add","value":1}                           | operation 0 has no path
          {"a":1}       | {"op":"copy","path":"/b"}                        | operation 0 has no from
          {"a":1}       | {"op":"add","path":"a","value":1}                | operation 0: path must begin with a slash: "a"
          {"a":1}       | {"op":"replace","path":"","value":[1]}           | the JSON patch makes the object an array
          """)
  void inapplicableOperation_isRefused(String object, String operations, String message) {
    assertThatThrownBy(() -> apply(object, "[" + operations + "]"))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_APPLICABLE))
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"op":"add"}                  | a JSON patch must be an array of operations, not an object
          [1]                           | operation 0 must be an object, not a number
          [{"op":3,"path":"/a"}]        | operation 0: op must be a string, not a number
          [{"op":"add","path":null}]    | operation 0: path must be a string, not null
          [] []                         | the patch is not JSON: line 1, column 5
          """)
  void malformedPatch_isRefused(String body, String message) {
    assertThatThrownBy(() -> apply("{}", body))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MALFORMED))
        .hasMessage(message);
  }

  @Test
  void copiesOfCopiesAreBounded() {
    String bomb =
        "{\"op\":\"add\",\"path\":\"/a\",\"value\":{\"text\":\"" + "x".repeat(1_000) + "\"}}";
    for (int i = 0; i < 40; i++) {
      bomb += ",{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/k" + i + "\"}";
    }
    String body = "[" + bomb + "]";
    assertThatThrownBy(() -> apply("{}", body))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_APPLICABLE))
        .hasMessageEndingWith("all copies together would exceed 3,145,728 bytes");
  }

  @Test
  void copiedNesting_isLimited() {
    String chain = "{\"op\":\"add\",\"path\":\"/a\",\"value\":{}}";
    for (int depth = 1; depth < 20_000; depth *= 2) {
      chain += ",{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"" + "/a".repeat(depth + 1) + "\"}";
    }
    String body = "[" + chain + "]";
    assertThatThrownBy(() -> apply("{}", body))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_APPLICABLE))
        .hasMessageEndingWith("it would be nested deeper than 255");
  }

  @Test
  void operationsAreBounded() {
    String one = "{\"op\":\"test\",\"path\":\"/a\"}";
    String body = "[" + (one + ",").repeat(10_000) + one + "]";
    assertThatThrownBy(() -> apply("{}", body))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOO_LARGE))
        .hasMessage("a JSON patch may have 10,000 operations, not 10,001");
  }
}
