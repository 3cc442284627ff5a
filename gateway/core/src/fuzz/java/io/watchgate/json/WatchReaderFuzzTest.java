package io.watchgate.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.json.WatchReader.FrameType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Fuzz test that frames are independent of the sizes of reads, and equal to Jackson's result. */
final class WatchReaderFuzzTest {
  private static final int LARGE = 1 << 20;
  private static final int SMALL = 64;
  private static final List<String> TYPES =
      Stream.of(FrameType.values()).map(FrameType::name).toList();

  /** Lines that the fast path accepts as a frame. */
  private static final Pattern LINE =
      Pattern.compile(
          "\\{\"type\":\"(?:%s)\",\"object\":\\{(?:(?!}[{ ])[^\\x00-\\x1f])*}}\\n"
              .formatted(String.join("|", TYPES)));

  private enum End {
    CLEAN,
    CUT,
    REFUSED
  }

  /**
   * @param object one character for each byte
   */
  private record Frame(FrameType type, String object) {
    /** Returns the frame in the form of an apiserver. */
    String line() {
      return "{\"type\":\"" + type + "\",\"object\":" + object + "}\n";
    }
  }

  private record Heard(List<Frame> frames, End end) {
    /** Checks that the other's frames begin with these. */
    void begins(Heard other) {
      assertThat(other.frames).hasSizeGreaterThanOrEqualTo(frames.size());
      assertThat(other.frames.subList(0, frames.size())).isEqualTo(frames);
    }
  }

  @FuzzTest
  void framesDoNotDependOnWhereBytesAreCut(byte[] stream) throws IOException {
    Heard general = read(Chunks.of(stream, 1), LARGE);
    boolean misleading = isMisleading(stream);
    Random random = new Random(Arrays.hashCode(stream));
    for (int most : List.of(3, 16, 300, Integer.MAX_VALUE)) {
      Heard heard = read(Chunks.random(stream, random, most), LARGE);
      if (heard.end == End.REFUSED && misleading) {
        heard.begins(general);
      } else {
        assertThat(heard).isEqualTo(general);
      }
    }
    compareUnderALimit(stream, general, misleading);
    compareWithJackson(stream, general);
  }

  /**
   * Compares with a small limit: input behind a frame may be refused before it for its size only.
   */
  private static void compareUnderALimit(byte[] stream, Heard general, boolean misleading)
      throws IOException {
    Heard slow = read(Chunks.of(stream, 1), SMALL);
    Heard whole = read(Chunks.of(stream, Integer.MAX_VALUE), SMALL);
    slow.begins(general);
    whole.begins(general);
    if (whole.end != End.REFUSED || !(misleading || slow.end == End.REFUSED)) {
      assertThat(whole).isEqualTo(slow);
    }
  }

  /**
   * Returns whether a line looks like an apiserver's frame and is none, as with a third member
   * behind the object, or the line feed before the last bracket. It is refused if it is read at
   * once.
   */
  private static boolean isMisleading(byte[] stream) throws IOException {
    Matcher line = LINE.matcher(new String(stream, ISO_8859_1));
    for (int at = 0; line.find(at); at = line.start() + 1) {
      Heard alone = read(Chunks.of(line.group().getBytes(ISO_8859_1), 1), LARGE);
      if (alone.end != End.CLEAN
          || alone.frames.size() != 1
          || !alone.frames.getFirst().line().equals(line.group())) {
        return true;
      }
    }
    return false;
  }

  private static Heard read(Chunks stream, int maxFrameBytes) throws IOException {
    WatchReader reader = new WatchReader(stream, maxFrameBytes);
    List<Frame> frames = new ArrayList<>();
    try {
      while (reader.next()) {
        if (reader.problem() != null) {
          return new Heard(frames, End.REFUSED);
        }
        JsonScanner object = new JsonScanner(reader.buffer(), reader.from(), reader.to());
        object.skip(); // as the reader of the object does
        object.expectEnd();
        int length = reader.to() - reader.from();
        frames.add(
            new Frame(
                reader.type(), new String(reader.buffer(), reader.from(), length, ISO_8859_1)));
      }
      return new Heard(frames, End.CLEAN);
    } catch (TruncatedJsonException e) {
      return new Heard(frames, End.CUT);
    } catch (JsonException e) {
      return new Heard(frames, End.REFUSED);
    }
  }

  private static void compareWithJackson(byte[] stream, Heard heard) {
    List<JsonNode> documents = StrictJson.readAll(stream);
    if (documents == null || !documents.stream().allMatch(WatchReaderFuzzTest::isFrame)) {
      return;
    }
    assertThat(heard.end).isEqualTo(End.CLEAN);
    assertThat(heard.frames).hasSameSizeAs(documents);
    for (int i = 0; i < documents.size(); i++) {
      Frame frame = heard.frames.get(i);
      assertThat(frame.type.name()).isEqualTo(documents.get(i).get("type").textValue());
      assertThat(StrictJson.read(frame.object.getBytes(ISO_8859_1)))
          .isEqualTo(documents.get(i).get("object"));
    }
  }

  private static boolean isFrame(JsonNode document) {
    return document.isObject()
        && document.path("type").isTextual()
        && TYPES.contains(document.get("type").textValue())
        && document.path("object").isObject();
  }
}
