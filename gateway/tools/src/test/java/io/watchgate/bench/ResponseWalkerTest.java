package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparison of the walker with protobuf's parser. */
class ResponseWalkerTest {
  private static final int ROUNDS = 500;

  /** Visitor that records all calls. */
  private static final class Notes implements ResponseWalker.Visitor {
    final List<String> lines = new ArrayList<>();

    @Override
    public void event(int type, byte[] in, int from, int to) {
      lines.add("event " + type + " " + new String(in, from, to - from, StandardCharsets.UTF_8));
    }

    @Override
    public void token(byte[] in, int from, int to) {
      lines.add("token " + new String(in, from, to - from, StandardCharsets.UTF_8));
    }

    @Override
    public void signal(int field, long objects) {
      lines.add("signal " + field + " " + objects);
    }
  }

  private static List<String> walked(byte[] bytes, int length) {
    Notes notes = new Notes();
    new ResponseWalker(notes).walk(bytes, length);
    return notes.lines;
  }

  private static List<String> expected(ListAndWatchResponse response) {
    List<String> lines = new ArrayList<>();
    for (WatchEvent event : response.getEventsList()) {
      lines.add("event " + event.getTypeValue() + " " + event.getObject().toStringUtf8());
    }
    if (!response.getResumeToken().isEmpty()) {
      lines.add("token " + response.getResumeToken().toStringUtf8());
    }
    int signal = response.getSignalCase().getNumber();
    if (signal != 0) {
      lines.add("signal " + signal + " " + response.getSynced().getObjects());
    }
    return lines;
  }

  private static ListAndWatchResponse random(SplittableRandom random) {
    ListAndWatchResponse.Builder response = ListAndWatchResponse.newBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      response.addEvents(
          WatchEvent.newBuilder()
              .setTypeValue(random.nextInt(4))
              .setKey(ObjectKey.newBuilder().setName(text(random)).setUid(text(random)))
              .setResourceVersion(text(random))
              .setObject(ByteString.copyFromUtf8(text(random)))
              .setReceiveTime(Timestamp.newBuilder().setSeconds(random.nextLong())));
    }
    response.setResourceVersion(text(random));
    response.setResumeToken(ByteString.copyFromUtf8(text(random)));
    switch (random.nextInt(6)) {
      case 0 -> response.setOpened(StreamOpened.newBuilder().setServerId(text(random)));
      case 1 -> response.setSnapshotStarted(SnapshotStarted.newBuilder().setObjects(7));
      case 2 -> response.setSynced(Synced.newBuilder().setObjects(random.nextLong()));
      case 3 -> response.setNetEffectStarted(NetEffectStarted.getDefaultInstance());
      case 4 -> response.setBookmark(Bookmark.getDefaultInstance());
      default -> {}
    }
    return response.build();
  }

  private static String text(SplittableRandom random) {
    return "x".repeat(random.nextInt(5) == 0 ? random.nextInt(20_000) : random.nextInt(5));
  }

  @Test
  void walk_randomResponses_equalsProtobuf() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < ROUNDS; i++) {
      ListAndWatchResponse response = random(random);
      byte[] bytes = response.toByteArray();
      byte[] buffer = Arrays.copyOf(bytes, bytes.length + 100); // only partly filled
      assertThat(walked(buffer, bytes.length)).as("seed %d", seed).isEqualTo(expected(response));
    }
  }

  @Test
  void walk_truncatedResponse_throwsUnlessBetweenFields() {
    ListAndWatchResponse response =
        ListAndWatchResponse.newBuilder()
            .addEvents(
                WatchEvent.newBuilder()
                    .setType(EventType.EVENT_TYPE_ADDED)
                    .setObject(ByteString.copyFromUtf8("{}")))
            .setResumeToken(ByteString.copyFromUtf8("token"))
            .build();
    byte[] bytes = response.toByteArray();
    List<String> all = expected(response);
    for (int length = 0; length < bytes.length; length++) {
      List<String> seen;
      try {
        seen = walked(bytes, length);
      } catch (ResponseWalker.MalformedException e) {
        continue;
      }
      assertThat(seen).isEqualTo(all.subList(0, seen.size())).hasSizeLessThan(all.size());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0b", "0a05", "ffffffffffffffffffffff", "0affffffffffffffff7f", "09", "0d00"})
  void walk_invalidBytes_throws(String hex) {
    byte[] bytes = java.util.HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> walked(bytes, bytes.length))
        .isInstanceOf(ResponseWalker.MalformedException.class);
  }

  @Test
  void walk_unknownFields_skips() {
    byte[] later = {(byte) 0xA0, 0x06, 1, (byte) 0xA5, 0x06, 1, 2, 3, 4, 0x1A, 1, 't'};
    assertThat(walked(later, later.length)).containsExactly("token t");
  }
}
