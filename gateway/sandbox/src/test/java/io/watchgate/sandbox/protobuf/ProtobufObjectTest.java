package io.watchgate.sandbox.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that objects in protobuf are read as the JSON that Go encodes for the same objects. */
final class ProtobufObjectTest {

  /** An object in both encodings, as {@code samples.go} wrote it. */
  @SuppressWarnings("ArrayRecordComponent") // read only
  record Sample(byte[] wire, JsonObject json) {
    @Override
    public String toString() {
      return json.get("apiVersion").getAsString() + " " + json.get("kind").getAsString();
    }
  }

  static Stream<Sample> samples() throws IOException {
    try (var file =
        Objects.requireNonNull(ProtobufObjectTest.class.getResourceAsStream("samples.txt"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .map(line -> line.split("\t", 2))
              .map(
                  parts ->
                      new Sample(
                          Base64.getDecoder().decode(parts[0]),
                          JsonParser.parseString(parts[1]).getAsJsonObject()))
              .toList()
              .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void object_isReadAsItsJson(Sample sample) throws ProtobufException {
    assertThat(withoutNulls(ProtobufObject.read(sample.wire())))
        .isEqualTo(withoutNulls(sample.json()));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void corruptBytes_areReadOrRefused(Sample sample) {
    for (int length = 0; length < sample.wire().length; length++) {
      readOrRefuse(Arrays.copyOf(sample.wire(), length));
    }
    long seed = sample.wire().length;
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      byte[] changed = sample.wire().clone();
      changed[4 + random.nextInt(changed.length - 4)] = (byte) random.nextInt();
      readOrRefuse(changed);
    }
  }

  private static void readOrRefuse(byte[] bytes) {
    try {
      assertThat(ProtobufObject.read(bytes)).isNotNull();
    } catch (ProtobufException e) {
      assertThat(e).hasMessageNotContaining("\n");
    }
  }

  @Test
  void otherBytes_areRefused() {
    assertThatThrownBy(() -> ProtobufObject.read("{}".getBytes(StandardCharsets.UTF_8)))
        .hasMessage("the body does not begin as an object in protobuf does");
    byte[] unknown = {'k', '8', 's', 0, 10, 6, 10, 1, 'x', 18, 1, 'Y'};
    assertThatThrownBy(() -> ProtobufObject.read(unknown))
        .hasMessage("the sandbox does not accept Y of x as protobuf; send it as application/json");
  }

  @Test
  void deepNesting_isRefused() {
    // Nested schemas, the innermost empty: not:{not:{...}}.
    byte[] schema = {};
    for (int i = 0; i < 200; i++) {
      schema = field(28, schema);
    }
    byte[] version = field(4, field(1, schema));
    byte[] definition = field(2, field(7, version));
    byte[] type =
        join(
            field(1, "apiextensions.k8s.io/v1".getBytes(StandardCharsets.UTF_8)),
            field(2, "CustomResourceDefinition".getBytes(StandardCharsets.UTF_8)));
    byte[] object = join(new byte[] {'k', '8', 's', 0}, join(field(1, type), field(2, definition)));
    assertThatThrownBy(() -> ProtobufObject.read(object))
        .hasMessage("the protobuf is nested more than 100 deep");
  }

  private static byte[] field(int number, byte[] value) {
    return join(join(varint((number << 3) | 2), varint(value.length)), value);
  }

  private static byte[] varint(int value) {
    return value < 128
        ? new byte[] {(byte) value}
        : new byte[] {(byte) ((value & 127) | 128), (byte) (value >>> 7)};
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** Removes null members, because readers do not distinguish null and absent members. */
  private static JsonElement withoutNulls(JsonElement value) {
    return switch (value) {
      case JsonObject object -> {
        JsonObject kept = new JsonObject();
        for (Map.Entry<String, JsonElement> member : object.entrySet()) {
          if (!member.getValue().isJsonNull()) {
            kept.add(member.getKey(), withoutNulls(member.getValue()));
          }
        }
        yield kept;
      }
      case JsonArray array -> {
        JsonArray kept = new JsonArray();
        array.forEach(element -> kept.add(withoutNulls(element)));
        yield kept;
      }
      default -> value;
    };
  }
}
