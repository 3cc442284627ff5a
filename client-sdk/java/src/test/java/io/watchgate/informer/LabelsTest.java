package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LabelsTest {

  @Test
  void ofJson_readsOnlyMetadataLabels() {
    String json =
        """
        {"labels":{"a":"top"},"spec":{"metadata":{"labels":{"a":"template"}}},
         "metadata":{"name":"web","annotations":{"labels":"none"},
          "labels":{"a":"1","example.com/b":"","\\u00e9\\"":"\\u0041"},"finalizers":[]},
         "status":{}}
        """;

    assertThat(Labels.ofJson(ByteString.copyFromUtf8(json)))
        .isEqualTo(Map.of("a", "1", "example.com/b", "", "é\"", "A"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"metadata\":{}}",
        "{\"metadata\":null}",
        "{\"metadata\":{\"labels\":null}}",
        "{\"metadata\":{\"labels\":{}}}",
        "{\"spec\":{\"labels\":{\"a\":\"1\"}},\"metadata\":{\"name\":\"n\"}}"
      })
  void objectWithoutLabels_hasNone(String json) {
    assertThat(Labels.ofJson(ByteString.copyFromUtf8(json))).isEmpty();
  }

  /** Reading the labels of an object of 1 MB costs as much as of an object of 1 KB. */
  @Test
  void ofJson_stopsReadingAfterLabels() {
    String json = "{\"metadata\":{\"labels\":{\"a\":\"1\"},\"annotations\":{\"b\":";

    assertThat(Labels.ofJson(ByteString.copyFromUtf8(json))).isEqualTo(Map.of("a", "1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "secret",
        "{\"metadata\":\"secret\"}",
        "{\"metadata\":{\"labels\":[\"secret\"]}}",
        "{\"metadata\":{\"labels\":{\"secret\":1}}}",
        "{\"metadata\":{\"labels\":{\"secret\":null}}}",
        "{\"metadata\":{\"labels\":{\"secret\":\"x\""
      })
  void brokenJsonIsRefusedAndNotQuoted(String json) {
    assertThatThrownBy(() -> Labels.ofJson(ByteString.copyFromUtf8(json)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .hasMessage("the labels of an object cannot be read: broken JSON");
  }
}
