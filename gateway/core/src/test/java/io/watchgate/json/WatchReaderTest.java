package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.json.WatchReader.FrameType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WatchReaderTest {
  private static final ObjectMapper JACKSON = new ObjectMapper();
  private static final List<FrameType> TYPES = List.of(FrameType.values());
  private static final int ALL = Integer.MAX_VALUE;
  private static final int ONE_BYTE = 1;

  private record Frame(FrameType type, String object) {}

  private static List<Frame> read(String stream, int chunk) throws IOException, JsonException {
    List<Frame> frames = new ArrayList<>();
    WatchReader reader = new WatchReader(Chunks.of(stream.getBytes(UTF_8), chunk), 1 << 20);
    while (reader.next()) {
      frames.add(frame(reader));
    }
    return frames;
  }

  private static Frame frame(WatchReader reader) {
    int length = reader.to() - reader.from();
    return new Frame(reader.type(), new String(reader.buffer(), reader.from(), length, UTF_8));
  }

  @Test
  void framesOnLines_areSplitForAllReadSizes() throws Exception {
    String stream =
        """
        {"type":"ADDED","object":{"a":1}}
        {"type":"MODIFIED","object":{"a":"}{ } \\n"}}
        {"type":"DELETED","object":{}}
        {"type":"BOOKMARK","object":{"b":{"c":[]}}}
        {"type":"ERROR","object":{"code":410}}
        """;
    List<Frame> expected =
        List.of(
            new Frame(FrameType.ADDED, "{\"a\":1}"),
            new Frame(FrameType.MODIFIED, "{\"a\":\"}{ } \\n\"}"),
            new Frame(FrameType.DELETED, "{}"),
            new Frame(FrameType.BOOKMARK, "{\"b\":{\"c\":[]}}"),
            new Frame(FrameType.ERROR, "{\"code\":410}"));
    assertThat(read(stream, ALL)).isEqualTo(expected);
    assertThat(read(stream, ONE_BYTE)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"ADDED\",\"object\":{\"a\":1}}",
        "{\"object\":{\"a\":1},\"type\":\"ADDED\"}\n",
        "  {\"type\":\"ADDED\",\"object\":{\"a\":1}} \r\n",
        "{ \"type\" : \"ADDED\" , \"object\" :{\"a\":1} }\n",
        "{\n\t\"type\":\"ADDED\",\n\t\"object\":{\"a\":1}\n}\n",
        "{\"kind\":\"WatchEvent\",\"type\":\"ADDED\",\"object\":{\"a\":1}}\n",
        "{\"type\":\"\\u0041DDED\",\"object\":{\"a\":1}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"a\":1},\"more\":[\"}\"]}\n",
      })
  void anyFormOfJson_isReadForAllReadSizes(String form) throws Exception {
    Frame frame = new Frame(FrameType.ADDED, "{\"a\":1}");
    for (int chunk : List.of(ALL, ONE_BYTE)) {
      assertThat(read(form, chunk)).containsExactly(frame);
      assertThat(read(form + form, chunk)).containsExactly(frame, frame);
    }
  }

  @Test
  void frameWithoutNewline_isReturnedBeforeMoreArrives() throws Exception {
    byte[] both =
        "{\"type\":\"ADDED\",\"object\":{}}{\"type\":\"DELETED\",\"object\":{}}".getBytes(UTF_8);
    Chunks chunks = Chunks.of(both, both.length / 2);
    WatchReader reader = new WatchReader(chunks, 1000);
    assertThat(reader.next()).isTrue();
    assertThat(reader.type()).isEqualTo(FrameType.ADDED);
    assertThat(chunks.given()).isEqualTo(both.length / 2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\'',
      value = {
        "<html><body>; unexpected byte in JSON at 0",
        "upstream connect error; unexpected byte in JSON at 0",
        "{}; a watch event without type",
        "{\"kind\":\"PodList\",\"items\":[]}; a watch event without type",
        "{\"type\":\"ADDED\",\"type\":\"ADDED\",\"object\":{}}; a watch event names its type twice",
      })
  void invalidFrame_isRefused(String stream, String message) {
    for (String end : List.of("", "\n")) {
      assertThatThrownBy(() -> read(stream + end, ALL))
          .isInstanceOf(JsonException.class)
          .hasMessage(message);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"ADDED\",\"object\":{},\"object\":{}}",
        "{\"type\":\"ADDED\",\"object\":{\"a\":[}]}}"
      })
  void errorInsideObject_isLeftToObjectReader(String frame) throws Exception {
    assertThatThrownBy(() -> read(frame, ALL)).isInstanceOf(JsonException.class);
    String object = read(frame + "\n", ALL).getFirst().object();
    assertThatThrownBy(() -> KubeObject.read(object.getBytes(UTF_8), FieldPaths.NONE))
        .isInstanceOf(JsonException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"ADDED\",\"object\":{\"a\":{\"b\":\"\\u0041}\"},\"c\":[1,{}]}}\n",
        "{\n  \"object\": {\"a\": {}},\n  \"type\": \"ADDED\"\n}\n"
      })
  void truncatedFrame_isDetectedAtAnyByte(String whole) {
    for (int chunk : List.of(ALL, ONE_BYTE)) {
      for (int cut = 1; cut < whole.length() - 1; cut++) {
        String part = whole.substring(0, cut);
        assertThatThrownBy(() -> read("{\"type\":\"ADDED\",\"object\":{}}\n" + part, chunk))
            .as(part)
            .isInstanceOf(TruncatedJsonException.class);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\'',
      value = {
        "{\"type\":\"PATCHED\",\"object\":{}}; OTHER; {}",
        "{\"type\":7,\"object\":{}}; OTHER; {}",
        "{\"object\":{}}; OTHER; {}",
        "{\"type\":\"ADDED\",\"object\":null}; ADDED; null",
        "{\"type\":\"ADDED\",\"object\":[{}]}; ADDED; [{}]",
        "{\"type\":\"ADDED\"}; ADDED; ''",
        "{\"type\":\"ADDED\",\"object\":{\"a\":\"\t\"}}; ADDED; {\"a\":\"\t\"}",
        "{\"type\":\"DELETED\",\"object\":{\"a\":[}; DELETED; {\"a\":[}",
        "{\"type\":\"BOOKMARK\",\"object\":{\"a; BOOKMARK; {\"a",
        "{\"type\":\"ADDED\",\"object\":]}; ADDED; ]}",
      })
  void oddFrame_isReportedAndNextIsRead(String odd, FrameType type, String object)
      throws Exception {
    String next = "{\"type\":\"MODIFIED\",\"object\":{\"a\":1}}\n";
    for (int chunk : List.of(ALL, ONE_BYTE)) {
      assertThat(read(odd + "\n" + next, chunk))
          .containsExactly(new Frame(type, object), new Frame(FrameType.MODIFIED, "{\"a\":1}"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "", " "})
  void frameOverLimit_isReportedWithItsBeginning(String end) throws Exception {
    String object = "{\"a\":\"" + "x".repeat(200_000) + "\"}";
    String frame = "{\"type\":\"ADDED\",\"object\":" + object + "}";
    byte[] bytes = (frame + end + "{\"type\":\"DELETED\",\"object\":{}}").getBytes(UTF_8);
    int limit = frame.length() - 1;
    WatchReader atTheLimit = new WatchReader(new ByteArrayInputStream(bytes), frame.length());
    assertThat(atTheLimit.next()).isTrue();
    assertThat(atTheLimit.problem()).isNull();
    for (int chunk : List.of(ALL, 999)) {
      WatchReader reader = new WatchReader(Chunks.of(bytes, chunk), limit);
      assertThat(reader.next()).isTrue();
      assertThat(reader.problem()).contains("larger than the limit of " + limit);
      assertThat(frame(reader).type()).isEqualTo(FrameType.ADDED);
      assertThat(object).startsWith(frame(reader).object());
      assertThat(frame(reader).object().length()).isGreaterThan(200_000 - 100);
      assertThat(reader.next()).isTrue();
      assertThat(reader.problem()).isNull();
      assertThat(frame(reader)).isEqualTo(new Frame(FrameType.DELETED, "{}"));
      assertThat(reader.next()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1 << 10, 1 << 16, 1 << 21})
  void hugeFrame_andNextFrame_areRead(int chunk) throws Exception {
    Frame huge = new Frame(FrameType.ADDED, "{\"a\":\"" + "x".repeat(3 << 19) + "\"}");
    Frame small = new Frame(FrameType.MODIFIED, "{}");
    String stream = "";
    for (Frame frame : List.of(huge, small, huge, small)) {
      stream += "{\"type\":\"" + frame.type() + "\",\"object\":" + frame.object() + "}\n";
    }
    WatchReader reader = new WatchReader(Chunks.of(stream.getBytes(UTF_8), chunk), 1 << 21);
    for (Frame frame : List.of(huge, small, huge, small)) {
      assertThat(reader.next()).isTrue();
      assertThat(frame(reader)).isEqualTo(frame);
    }
    assertThat(reader.next()).isFalse();
  }

  @Test
  void frameWithoutEnd_isRefused() {
    byte[] bytes = "{\"type\":\"ADDED\",\"object\":{\"a\":\"".getBytes(UTF_8);
    byte[] endless = Arrays.copyOf(bytes, 1 << 22);
    Arrays.fill(endless, bytes.length, endless.length, (byte) 'x');
    Chunks chunks = Chunks.of(endless, 4096);
    assertThatThrownBy(() -> new WatchReader(chunks, 1 << 18).next())
        .isInstanceOf(JsonException.class);
    assertThat(chunks.given()).isLessThan(5 << 19);
  }

  @Test
  void randomStreams_equalJacksonsResult() throws Exception {
    for (long seed = 0; seed < 3_000; seed++) {
      try {
        compareWithJackson(new Random(seed));
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
  }

  private static void compareWithJackson(Random random)
      throws IOException, JsonException, JsonProcessingException {
    RandomJson json = new RandomJson(random);
    ObjectWriter pretty = JACKSON.writerWithDefaultPrettyPrinter();
    StringBuilder stream = new StringBuilder();
    List<ObjectNode> expected = new ArrayList<>();
    int likeApiserver = random.nextInt(3);
    for (int i = random.nextInt(20); i > 0; i--) {
      ObjectNode frame = JsonNodeFactory.instance.objectNode();
      String type = TYPES.get(random.nextInt(TYPES.size())).name();
      if (likeApiserver > 0 || random.nextBoolean()) {
        frame.put("type", type).set("object", json.object(4));
      } else {
        frame.set("object", json.object(4));
        frame.put("type", type);
      }
      expected.add(frame);
      if (likeApiserver > 0) {
        stream.append(frame).append('\n');
      } else {
        stream.append(random.nextBoolean() ? frame : pretty.writeValueAsString(frame));
        stream.append(new String[] {"\n", "", " ", "\r\n", "\n\n"}[random.nextInt(5)]);
      }
    }
    int most = 1 + random.nextInt(300);
    Chunks chunks = Chunks.random(stream.toString().getBytes(UTF_8), random, most);
    WatchReader reader = new WatchReader(chunks, 1 << 20);
    for (ObjectNode frame : expected) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.type().name()).isEqualTo(frame.get("type").textValue());
      assertThat(JACKSON.readTree(frame(reader).object()))
          .isEqualTo(JACKSON.readTree(frame.get("object").toString()));
    }
    assertThat(reader.next()).isFalse();
  }
}
