package io.watchgate.check.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.ProjectionSpec.View;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProjectionSpecsTest {
  private static final JsonObject POD =
      json(
          """
          {"kind":"Pod","apiVersion":"v1",
           "metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"7",
             "labels":{"app":"web"},"managedFields":[{"manager":"kubelet"}]},
           "spec":{"nodeName":"n-1","priority":9007199254740993},"status":{"phase":"Running"}}
          """);

  private static JsonObject json(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  private static JsonObject shaped(View view, String... pointers) {
    return ProjectionSpecs.apply(new ProjectionSpec(view, List.of(pointers)), POD);
  }

  @Test
  void views_followTheContract() {
    assertThat(shaped(View.FULL)).isEqualTo(POD);
    assertThat(shaped(View.NO_MANAGED_FIELDS).getAsJsonObject("metadata").has("managedFields"))
        .isFalse();
    assertThat(shaped(View.NO_MANAGED_FIELDS).getAsJsonObject("spec"))
        .isEqualTo(POD.getAsJsonObject("spec"));
    assertThat(shaped(View.METADATA))
        .isEqualTo(
            json(
                """
                {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","uid":"u",
                 "resourceVersion":"7","labels":{"app":"web"}}}
                """));
    assertThat(shaped(View.KEY).isEmpty()).isTrue();
  }

  @Test
  void parts_includeIdentityAndOmitAbsentFields() {
    assertThat(shaped(View.PARTS, "/status/phase", "/metadata/labels", "/spec/none/below"))
        .isEqualTo(
            json(
                """
                {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","uid":"u",
                 "resourceVersion":"7","labels":{"app":"web"}},"status":{"phase":"Running"}}
                """));
  }

  @Test
  void digest_ignoresOrderAndVersion() {
    JsonObject other =
        json(
            """
            {"metadata":{"resourceVersion":"8","name":"a"},"spec":{"b":[1,{"c":null}],"a":"1"}}
            """);
    JsonObject same =
        json(
            """
            {"spec":{"a":"1","b":[1,{"c":null}]},"metadata":{"name":"a","resourceVersion":"9"}}
            """);
    assertThat(JsonDigest.of(other)).isEqualTo(JsonDigest.of(same));
  }

  @Test
  void digest_distinguishesNumbersBeyondDouble() {
    List<String> values =
        List.of(
            "9007199254740993",
            "9007199254740992",
            "\"9007199254740993\"",
            "[9007199254740993]",
            "null",
            "{}",
            "1.0",
            "1");
    assertThat(
            values.stream().map(value -> JsonDigest.of(json("{\"spec\":{\"n\":" + value + "}}"))))
        .doesNotHaveDuplicates();
    assertThat(JsonDigest.of(json("{\"spec\":{\"resourceVersion\":\"1\",\"a\":{}}}")))
        .as("only metadata's own version does not count")
        .isNotEqualTo(JsonDigest.of(json("{\"spec\":{\"a\":{\"resourceVersion\":\"1\"}}}")));
  }
}
