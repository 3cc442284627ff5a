package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of objects that are written in an unusual way, or that cannot be served. */
final class OddObjectsTest {
  private static KubeObject read(String object) {
    try {
      return KubeObject.read(object.getBytes(UTF_8), FieldPaths.NONE);
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  private static KubeObject of(String metadata) {
    return read("{\"metadata\":{" + metadata + "}}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          r\\u0026d                   | r&d
          a\\u003cb\\u003e            | a<b>
          \\"                         | "
          \\\\                        | \\
          \\/                         | /
          \\u0061                     | a
          \\ud83d\\ude00              | 😀
          \\ud83d                     | \ufffd
          e\\u0301                    | e\u0301
          """)
  void escapedIdentity_equalsDecodedText(String written, String text) {
    KubeObject escaped =
        of(
            "\"namespace\":\"%1$s\",\"name\":\"n%1$s\",\"uid\":\"u%1$s\",\"resourceVersion\":\"\\u0031\""
                .formatted(written));
    String plain = text.replace("\\", "\\\\").replace("\"", "\\\"");
    KubeObject other =
        of(
            "\"namespace\":\"%1$s\",\"name\":\"n%1$s\",\"uid\":\"u%1$s\",\"resourceVersion\":\"1\""
                .formatted(plain));

    assertThat(escaped.namespace()).isEqualTo(text);
    assertThat(escaped.name()).isEqualTo("n" + text);
    assertThat(escaped.uid().getBytes(UTF_8).length).isPositive();
    assertThat(escaped.resourceVersion()).isEqualTo("1");
    assertThat(new String(escaped.key(), UTF_8)).isEqualTo(text + "/n" + text);
    assertThat(escaped.nameIs(("n" + text).getBytes(UTF_8))).isTrue();
    assertThat(escaped.namespaceIs(text.getBytes(UTF_8))).isTrue();
    assertThat(escaped.hasSameKeyAs(other)).isTrue();
    assertThat(escaped.hasSameUidAs(other)).isTrue();
    assertThat(escaped.hasSameStateAs(other)).isTrue();
    assertThat(escaped.fingerprint()).isEqualTo(other.fingerprint());
  }

  @Test
  void plainIdentity_differsFromLiteralEscapes() {
    KubeObject escaped = of("\"name\":\"\\u0061\",\"uid\":\"\\u0061\",\"resourceVersion\":\"1\"");
    KubeObject literally =
        of("\"name\":\"\\\\u0061\",\"uid\":\"\\\\u0061\",\"resourceVersion\":\"1\"");
    assertThat(escaped.hasSameKeyAs(literally) || escaped.hasSameUidAs(literally)).isFalse();
    assertThat(escaped.fingerprint()).isNotEqualTo(literally.fingerprint());
  }

  @Test
  void nameWithSlash_hasNoNamespace() {
    KubeObject object = of("\"name\":\"a/b\",\"resourceVersion\":\"1\"");
    assertThat(object.namespace()).isEmpty();
    assertThat(object.name()).isEqualTo("a/b");
    KubeObject inside = of("\"namespace\":\"n\",\"name\":\"a/b\",\"resourceVersion\":\"1\"");
    assertThat(inside.namespace()).isEqualTo("n");
    assertThat(inside.name()).isEqualTo("a/b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "name":"n","resourceVersion":"1"                            | `` | 1
          "name":"n","resourceVersion":"1","uid":null                 | `` | 1
          "name":"n","resourceVersion":"1","uid":""                   | `` | 1
          "name":"n","resourceVersion":12,"uid":7                     | 7  | 12
          "name":"n","resourceVersion":"1","uid":"u","labels":[1]     | u  | 1
          "name":"n","resourceVersion":"1","labels":"x"               | `` | 1
          "name":"n","resourceVersion":"1","labels":7                 | `` | 1
          "name":"n","resourceVersion":"1","labels":{"a":1}           | `` | 1
          "name":"n","resourceVersion":"1","labels":{"a":null}        | `` | 1
          "name":"n","resourceVersion":"1","managedFields":{"a":"b"}  | `` | 1
          "name":"n","resourceVersion":"1","managedFields":5          | `` | 1
          "name":"n","resourceVersion":"1","annotations":{"a":[5]}    | `` | 1
          "name":"n","resourceVersion":"1","namespace":null           | `` | 1
          """)
  void oddMetadata_isServed(String metadata, String uid, String version) {
    KubeObject object = of(metadata);
    assertThat(object.name()).isEqualTo("n");
    assertThat(object.namespace()).isEmpty();
    assertThat(object.uid()).isEqualTo(uid);
    assertThat(object.resourceVersion()).isEqualTo(version);
    assertThat(object.label("a")).isNull();
    assertThat(object.firstLabel()).isNegative();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"metadata":{"name":"n"}}                                            | n   | ``
          {"metadata":{"name":"n","namespace":"x","resourceVersion":""}}       | x/n | ``
          {"metadata":{"name":"n","resourceVersion":"1"},"metadata":{}}        | n   | 1
          {"metadata":{"name":"n","resourceVersion":"1"},"a":                  | n   | 1
          {"metadata":{"name":"n","resourceVersion":"1"},"a":]}                | n   | 1
          {"metadata":{"name":"n\\u0026","resourceVersion":"\\u0031"},"a":"\\  | n&  | 1
          {"metadata":{"name":"n","resourceVersion":"1"                        | ``  | ``
          {"metadata":{"name":"n","name":"m","resourceVersion":"1"}}           | ``  | ``
          {"metadata":{"name":"n","resourceVersion":"1","resourceVersion":"2"} | ``  | ``
          {"metadata":{"name":7,"resourceVersion":"1"}}                        | ``  | ``
          {"metadata":{"name":"","resourceVersion":"1"}}                       | ``  | 1
          {"metadata":{"resourceVersion":"1"}}                                 | ``  | 1
          {"metadata":null}                                                    | ``  | ``
          {"metadata":[]}                                                      | ``  | ``
          {}                                                                   | ``  | ``
          null                                                                 | ``  | ``
          """)
  void unreadableObject_reportsItsKey(String object, String key, String version) {
    UnreadableObjectException refused =
        catchThrowableOfType(
            UnreadableObjectException.class,
            () -> KubeObject.read(object.getBytes(UTF_8), FieldPaths.NONE));
    assertThat(refused).isNotNull();
    Optional<String> named = refused.key().map(bytes -> new String(bytes, UTF_8));
    assertThat(named.orElse("")).isEqualTo(key);
    if (!key.isEmpty()) {
      assertThat(refused.resourceVersion()).isEqualTo(version);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "a":{"b":1,"c":"x"}           | "a": { "c": "x", "b": 1 }     | true
          "a":"\\u0041"                 | "a":"A"                       | true
          "\\u0061":1                   | "a":1                         | true
          "a":[1.0,1e3,-0,10.50]        | "a":[1,1000,0,10.5]           | true
          "a":9007199254740993          | "a":9007199254740992          | false
          "a":1                         | "a":"1"                       | false
          "a":[1,2]                     | "a":[2,1]                     | false
          "a":null                      | "b":null                      | false
          "a":true                      | "a":false                     | false
          "a":{}                        | "a":[]                        | false
          "a":1e999999999999            | "a":1e999999999998            | false
          "kind":"K","apiVersion":"v1"  | "a":1                         | false
          "kind":"K","apiVersion":"v1"  | "kind":"K"                    | true
          "kind":"K","a":1              | "a":1                         | true
          "kind":"K","a":1              | "apiVersion":"v1","a":1       | true
          "kind":"K"                    | "kind":"L"                    | false
          "a":{"kind":"K"}              | "a":{}                        | false
          "a":1,"a":2                   | "a": 1,"a":2                  | false
          """)
  void content_isEqualIfJsonValueIs(String one, String other, boolean same) {
    String metadata = "\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"1\"}";
    KubeObject left = read("{" + one + "," + metadata + "}");
    KubeObject right = read("{" + metadata + ", " + other + "}");
    assertThat(left.hasSameContentAs(right)).isEqualTo(same);
    assertThat(right.hasSameContentAs(left)).isEqualTo(same);
  }

  @Test
  void sameContent_otherVersion_isOtherState() {
    KubeObject one = of("\"name\":\"n\",\"resourceVersion\":\"1\"");
    assertThat(one.hasSameContentAs(of("\"name\":\"n\",\"resourceVersion\":\"2\""))).isFalse();
  }
}
