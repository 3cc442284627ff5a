package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.watchgate.cache.Revision;
import io.watchgate.http.StatusException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lifecycle tests of an object: creation, changes, deletion. */
final class ObjectNormalizerTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String MAP =
      """
      {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","labels":{"z":"1","b":"<"}},
       "data":{"k":"a<b>&c\\u2028"}}\
      """;

  private final SandboxUnderTest sandbox = new SandboxUnderTest();

  @AfterEach
  void close() {
    sandbox.close();
  }

  @Test
  void newObject_hasServerAssignedMetadata() throws StatusException {
    JsonObject made = sandbox.post(MAPS, MAP.replace("\"b\":\"<\"", "\"b\":\"\""));

    assertThat(new String(sandbox.bytes(MAPS + "/a"), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                + "\"namespace\":\"default\",\"uid\":\""
                + JsonTree.text(made, "metadata", "uid")
                + "\",\"resourceVersion\":\"6\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\","
                + "\"labels\":{\"b\":\"\",\"z\":\"1\"}},"
                + "\"data\":{\"k\":\"a\\u003cb\\u003e\\u0026c\\u2028\"}}");
  }

  @Test
  void update_isPublishedOnlyIfObjectChanged() throws StatusException {
    JsonObject made = sandbox.post(MAPS, MAP.replace("\"b\":\"<\"", "\"b\":\"\""));
    Revision before = sandbox.head(MAPS);

    JsonObject same = sandbox.put(MAPS + "/a", made.toString());
    assertThat(same).isEqualTo(made);
    assertThat(sandbox.head(MAPS)).isSameAs(before);

    sandbox.merge(MAPS + "/a", "{\"data\":{\"k\":\"v\"}}");
    assertThat(sandbox.since(before)).containsExactly("~default/a");
    assertThatThrownBy(() -> sandbox.put(MAPS + "/a", made.toString()))
        .hasMessage(
            "Operation cannot be fulfilled on configmaps \"a\": the object has been modified;"
                + " please apply your changes to the latest version and try again");
    sandbox.delete(MAPS + "/a");
    assertThat(sandbox.since(before)).containsExactly("~default/a", "-default/a");
  }
}
