package io.watchgate.browser;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.watchgate.grpc.CallStatus;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Text of the responses of a watch as server-sent events. The lines of an event are {@code id},
 * {@code event}, {@code retry} and {@code data}. Data is one line of JSON.
 */
final class EventStreamFormat {
  /** Line that a reader ignores. */
  static final ByteBuffer COMMENT =
      ByteBuffer.wrap(new byte[] {':', '\n', '\n'}).asReadOnlyBuffer();

  /**
   * Bounds of the wait before the next attempt, drawn at random (watch.proto, rule 7). A browser
   * repeats the same wait, so it is longer than the first one of a client that doubles it.
   */
  private static final int MIN_WAIT_MILLIS = 500;

  private static final int MAX_WAIT_MILLIS = 2_000;

  private EventStreamFormat() {}

  /** Returns the events of a response. A token is the id of the last of them. */
  static ByteBuffer response(ListAndWatchResponse response) {
    ByteString.Output out = ByteString.newOutput(response.getSerializedSize() + 256);
    String id = id(response.getResumeToken());
    boolean hasSignal = response.getSignalCase() != ListAndWatchResponse.SignalCase.SIGNAL_NOT_SET;
    int last = response.getEventsCount() - 1;
    for (int i = 0; i <= last; i++) {
      append(out, i == last && !hasSignal ? id : "");
      append(out, response.getEvents(i));
    }
    if (hasSignal) {
      append(out, id);
      appendSignal(out, response);
    } else if (last < 0 && !id.isEmpty()) {
      append(out, id + "\n"); // a position alone: no event, and the browser keeps the id
    }
    return out.toByteString().asReadOnlyByteBuffer();
  }

  private static String id(ByteString token) {
    return token.isEmpty()
        ? ""
        : "id: "
            + Base64.getUrlEncoder().withoutPadding().encodeToString(token.toByteArray())
            + "\n";
  }

  private static void append(ByteString.Output out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.write(bytes, 0, bytes.length);
  }

  private static void append(ByteString.Output out, WatchEvent event) {
    append(
        out,
        "event: " + WatchEventJson.name(event.getType()).toLowerCase(Locale.ROOT) + "\ndata: ");
    byte[] json = WatchEventJson.of(event).toByteArray();
    for (int i = 0; i < json.length; i++) {
      if (json[i] == '\n' || json[i] == '\r') {
        json[i] = ' '; // between tokens, the only place where JSON has line ends
      }
    }
    out.write(json, 0, json.length);
    append(out, "\n\n");
  }

  private static void appendSignal(ByteString.Output out, ListAndWatchResponse response) {
    JsonObject data = new JsonObject();
    if (!response.getResourceVersion().isEmpty()) {
      data.addProperty("resourceVersion", response.getResourceVersion());
    }
    String name =
        switch (response.getSignalCase()) {
          case OPENED -> {
            StreamOpened opened = response.getOpened();
            data.addProperty("streamId", opened.getStreamId());
            data.addProperty("serverId", opened.getServerId());
            append(out, retry(Duration.ZERO));
            yield "opened";
          }
          case RESUMED -> "resumed";
          case SNAPSHOT_STARTED -> {
            SnapshotStarted started = response.getSnapshotStarted();
            data.addProperty("reason", word(started.getReason().name(), "SNAPSHOT_REASON_"));
            data.addProperty("objects", started.getObjects());
            yield "snapshot-started";
          }
          case SYNCED -> {
            Synced synced = response.getSynced();
            data.addProperty("objects", synced.getObjects());
            data.addProperty("stalenessSeconds", synced.getStaleness().getSeconds());
            yield "synced";
          }
          case NET_EFFECT_STARTED -> {
            NetEffectStarted effect = response.getNetEffectStarted();
            data.addProperty("reason", word(effect.getReason().name(), "NET_EFFECT_REASON_"));
            data.addProperty("eventsReplaced", effect.getEventsReplaced());
            yield "net-effect-started";
          }
          case BOOKMARK -> {
            data.addProperty("sentAt", time(response.getBookmark().getSentAt()));
            if (response.getBookmark().hasVerifiedAt()) {
              data.addProperty("verifiedAt", time(response.getBookmark().getVerifiedAt()));
            }
            yield "bookmark";
          }
          case GOING_AWAY -> {
            GoingAway away = response.getGoingAway();
            data.addProperty("reason", word(away.getReason().name(), "GOING_AWAY_REASON_"));
            yield "going-away";
          }
          case SIGNAL_NOT_SET -> throw new IllegalArgumentException("a response without a signal");
        };
    append(out, "event: " + name + "\ndata: " + data + "\n\n");
  }

  private static String time(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos()).toString();
  }

  private static String word(String constant, String prefix) {
    return constant.substring(prefix.length());
  }

  /**
   * Returns the event of an end. A client that must restart without a token loses the id that its
   * browser would send.
   */
  static ByteBuffer problem(CallStatus ending) {
    String id = ending.action() == CallStatus.Action.RESTART ? "id:\n" : "";
    String text =
        id + retry(ending.retryAfter()) + "event: problem\ndata: " + problemJson(ending) + "\n\n";
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns an end as JSON. */
  static JsonObject problemJson(CallStatus ending) {
    JsonObject problem = new JsonObject();
    problem.addProperty("reason", ending.reason());
    problem.addProperty("action", ending.action().name());
    problem.addProperty("message", ending.message());
    if (!ending.field().isEmpty()) {
      problem.addProperty("field", ending.field());
    }
    return problem;
  }

  private static String retry(Duration least) {
    int random = ThreadLocalRandom.current().nextInt(MIN_WAIT_MILLIS, MAX_WAIT_MILLIS);
    return "retry: " + (least.toMillis() + random) + "\n";
  }
}
