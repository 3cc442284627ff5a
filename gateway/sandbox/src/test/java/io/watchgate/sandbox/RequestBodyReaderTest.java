package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteRequest.Method;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the accepted bodies, and of the errors for other bodies. */
final class RequestBodyReaderTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String PREFIX =
      "the object provided is unrecognized (must be of type ConfigMap): ";

  private final SandboxUnderTest sandbox = new SandboxUnderTest();

  @AfterEach
  void close() {
    sandbox.close();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      textBlock =
          """
          {bad              | application/json | malformed JSON at line 1, column 3
          {"a":1,}          | application/json | malformed JSON at line 1, column 9
          {'a':1}           | application/json | malformed JSON at line 1, column 3
          {"a":01}          | application/json | malformed JSON at line 1, column 6
          {} {}             | application/json | malformed JSON at line 1, column 5
          []                | application/json | a JSON object is expected, not an array
          null              | application/json | a JSON object is expected, not null
          "x"               | application/json | a JSON object is expected, not a single value
          ``                | application/json | the body is empty
          ``                | application/yaml | the body is empty
          a: [              | application/yaml | malformed YAML: while parsing a flow node
          - a               | application/yaml | a JSON object is expected, not an array
          a: .nan           | application/yaml | JSON has no number NaN
          """)
  void bodyThatIsNoObject_isRefused(String body, String media, String why) {
    assertThatThrownBy(() -> sandbox.send(Method.POST, MAPS, body == null ? "" : body, media))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(400))
        .hasMessage(PREFIX + why);
  }

  @Test
  void yamlIsNotNestedDeeperThanJson() {
    for (int depth : new int[] {254, 300}) {
      String body = "metadata: {labels: " + "[".repeat(depth) + "]".repeat(depth) + "}";
      assertThatThrownBy(() -> sandbox.send(Method.POST, MAPS, body, "application/yaml"))
          .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(400))
          .hasMessage(PREFIX + "malformed YAML: nested too deeply");
    }
  }

  @Test
  void yamlAliases_cannotExpandWithoutLimit() {
    StringBuilder yaml = new StringBuilder("a0: &a0 [x,x,x,x]\n");
    for (int i = 1; i < 12; i++) {
      String before = "*a" + (i - 1);
      yaml.append("a%d: &a%d [%s,%s,%s,%s]\n".formatted(i, i, before, before, before, before));
    }
    assertThatThrownBy(() -> sandbox.send(Method.POST, MAPS, yaml.toString(), "application/yaml"))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(400))
        .hasMessage(PREFIX + "malformed YAML: its aliases make too much of it");
  }

  @Test
  void deepNestingIsRefused() {
    String deep = "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    assertThatThrownBy(() -> sandbox.post(MAPS, deep))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(400))
        .hasMessageStartingWith(PREFIX + "malformed JSON");
    assertThatThrownBy(
            () -> sandbox.send(Method.POST, MAPS, "a: " + "[".repeat(100_000), "application/yaml"))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(400))
        .hasMessageStartingWith(PREFIX + "malformed YAML");
  }

  @Test
  void yaml_isConvertedToJson() throws StatusException {
    String yaml =
        """
        metadata:
          name: a
          labels: {x: "1"}
        data:
          k: |
            two
            lines
        """;
    JsonObject made = sandbox.send(Method.POST, MAPS, yaml, "application/yaml");
    assertThat(JsonTree.text(made, "metadata", "labels", "x")).isEqualTo("1");
    assertThat(JsonTree.text(made, "data", "k")).isEqualTo("two\nlines\n");
  }

  @Test
  void customResource_keepsLargeNumbersAndUnknownFields() throws StatusException {
    sandbox.post(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        """
        {"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Cluster",
         "names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,
         "storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}\
        """);
    String things = "/apis/example.com/v1/things";
    sandbox.post(
        things,
        """
        {"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"t"},
         "n":[9007199254740993,1e3,1.0,123456789012345678901234567890],"a":null}\
        """);
    assertThat(new String(sandbox.bytes(things + "/t"), StandardCharsets.UTF_8))
        .startsWith("{\"a\":null,\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",")
        .endsWith("\"n\":[9007199254740993,1e3,1.0,123456789012345678901234567890]}");

    // Both numbers are the same double.
    JsonObject changed = sandbox.merge(things + "/t", "{\"n\":[9007199254740992]}");
    JsonObject again = sandbox.merge(things + "/t", "{\"n\":[9007199254740993]}");
    assertThat(JsonTree.text(again, "metadata", "generation")).isEqualTo("3");
    assertThat(changed).isNotEqualTo(again);
  }
}
