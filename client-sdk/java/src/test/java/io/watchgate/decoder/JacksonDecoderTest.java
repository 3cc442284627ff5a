package io.watchgate.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.watchgate.informer.Decoder;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JacksonDecoderTest {
  private final ObjectMapper mapper = new ObjectMapper();

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Pod(Status status) {
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Status(String phase) {}
  }

  @Test
  void ownType_hasItsFields() throws Exception {
    Decoder<Pod> decoder = JacksonDecoder.of(mapper, Pod.class);
    assertThat(decoder.decode(PodJson.bytes())).isEqualTo(new Pod(new Pod.Status("Running")));
  }

  @Test
  void genericType_isDecoded() throws Exception {
    Decoder<Map<String, Object>> decoder = JacksonDecoder.of(mapper, new TypeReference<>() {});
    assertThat(decoder.decode(PodJson.bytes())).containsEntry("kind", "Pod").containsKey("spec");
  }

  @Test
  void tree_hasAllFields() throws Exception {
    JsonNode pod = JacksonDecoder.tree(mapper).decode(PodJson.bytes());
    assertThat(pod).isEqualTo(mapper.readTree(PodJson.bytes().toStringUtf8()));
    assertThat(pod.at("/metadata/generation").longValue()).isEqualTo(PodJson.GENERATION);
    assertThat(pod.at("/spec/invented/limit").bigIntegerValue())
        .isEqualTo(new BigInteger("12345678901234567890"));
  }

  @Test
  void unknownFields_followTheMapper() {
    record Nothing() {}
    mapper.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    Decoder<Nothing> decoder = JacksonDecoder.of(mapper, Nothing.class);
    assertThatThrownBy(() -> decoder.decode(PodJson.bytes()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("apiVersion");
  }

  @Test
  void emptyText_throws() {
    Decoder<JsonNode> decoder = JacksonDecoder.of(mapper, JsonNode.class);
    assertThatThrownBy(() -> JacksonDecoder.of(mapper, Pod.class).decode(ByteString.EMPTY))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> decoder.decode(ByteString.copyFromUtf8("{\"kind\":")))
        .isInstanceOf(IOException.class);
  }
}
