package io.watchgate.e2e.clients;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.client.Interruption;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/** Program of the conformance suite that uses the Java SDK. */
public final class JavaClient {
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

  /** Set once the last watch has ended. */
  private static volatile boolean isOver;

  private final Map<ObjectKey, WatchEvent> state = new HashMap<>();
  private final List<WatchEvent> snapshot = new ArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  private JavaClient() {}

  /** Watches the type of the first argument at each {@code --server HOST:PORT}, until SIGTERM. */
  public static void main(String[] arguments) throws InterruptedException {
    List<String> line = List.of(arguments);
    String timeout = option(line, "--first-answer-timeout", "300");
    int watches = Integer.parseInt(option(line, "--watches", "1"));
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  if (!isOver) {
                    System.out.flush();
                    Runtime.getRuntime().halt(0); // by a signal it would be 143
                  }
                }));
    try (WatchClient client =
        servers(line).firstAnswerTimeout(Duration.ofSeconds(Integer.parseInt(timeout))).build()) {
      ListAndWatchRequest request =
          ListAndWatchRequest.newBuilder()
              .setSelection(
                  Selection.newBuilder()
                      .setResourceType(ResourceType.newBuilder().setResource(line.getFirst())))
              .build();
      for (int i = 0; i < watches; i++) {
        JavaClient printer = new JavaClient();
        var _ = client.watch(request, printer::print);
        printer.ended.await();
      }
    }
    isOver = true;
    System.exit(1);
  }

  private static WatchClientBuilder servers(List<String> line) {
    WatchClientBuilder builder = null;
    for (int i = 0; i < line.size(); i++) {
      if (line.get(i).equals("--server")) {
        String[] server = line.get(i + 1).split(":", 2);
        int port = Integer.parseInt(server[1]);
        builder = builder == null ? WatchClient.to(server[0], port) : builder.and(server[0], port);
      }
    }
    return Objects.requireNonNull(builder, "--server is missing");
  }

  private static String option(List<String> line, String name, String otherwise) {
    int at = line.indexOf(name);
    return at < 0 ? otherwise : line.get(at + 1);
  }

  private void print(WatchUpdate update) {
    switch (update) {
      case WatchUpdate.SnapshotBegun _ -> snapshot.clear();
      case WatchUpdate.SnapshotObjects(List<WatchEvent> objects) -> snapshot.addAll(objects);
      case WatchUpdate.SnapshotComplete _ -> {
        replace();
        print("SYNCED", "", JsonNull.INSTANCE);
      }
      case WatchUpdate.Changes changes -> changes.events().forEach(this::apply);
      case WatchUpdate.Reconnected reconnected -> {
        if (reconnected.continuation() == WatchUpdate.Continuation.RESUMED) {
          print("RESUMED", "", JsonNull.INSTANCE);
        }
      }
      case WatchUpdate.Interrupted interrupted -> print(interrupted.cause());
      case WatchUpdate.Ended(WatchError error) -> {
        print(error);
        System.err.println("java: " + error.message());
        ended.countDown();
      }
      case WatchUpdate.Opened _, WatchUpdate.Bookmark _ -> {}
    }
  }

  private void print(Interruption cause) {
    switch (cause) {
      case Interruption.Failed(WatchError error) -> print(error);
      case Interruption.Silence silence -> {
        JsonObject value = new JsonObject();
        value.addProperty("status", "DEADLINE_EXCEEDED");
        value.addProperty("message", silence.message());
        value.addProperty("action", silence.action().name());
        print("ERROR", "", value);
      }
      case Interruption.GoingAway _, Interruption.GroupTooLarge _ -> {}
    }
  }

  private static void print(WatchError error) {
    JsonObject value = new JsonObject();
    value.addProperty("status", error.code().name());
    value.addProperty("reason", error.reason());
    value.addProperty("message", error.message());
    value.addProperty("action", error.action().name());
    print("ERROR", "", value);
  }

  private void replace() {
    Map<ObjectKey, WatchEvent> before = new HashMap<>(state);
    state.clear();
    snapshot.forEach(event -> state.put(event.getKey(), event));
    before.forEach(
        (key, event) -> {
          if (!state.containsKey(key)) {
            print("DELETED", text(key), JsonNull.INSTANCE);
          }
        });
    for (WatchEvent event : snapshot) {
      WatchEvent earlier = before.get(event.getKey());
      if (earlier == null) {
        print("ADDED", text(event.getKey()), value(event));
      } else if (!earlier.getResourceVersion().equals(event.getResourceVersion())) {
        print("MODIFIED", text(event.getKey()), value(event));
      }
    }
  }

  private void apply(WatchEvent event) {
    if (event.getType() == EventType.EVENT_TYPE_DELETED) {
      state.remove(event.getKey());
    } else {
      state.put(event.getKey(), event);
    }
    print(event.getType().name().replace("EVENT_TYPE_", ""), text(event.getKey()), value(event));
  }

  private static String text(ObjectKey key) {
    return key.getNamespace() + "/" + key.getName();
  }

  private static JsonElement value(WatchEvent event) {
    return event.getObject().isEmpty()
        ? JsonNull.INSTANCE
        : JsonParser.parseString(event.getObject().toStringUtf8());
  }

  private static void print(String what, String key, JsonElement value) {
    JsonObject line = new JsonObject();
    line.addProperty("what", what);
    line.addProperty("key", key);
    line.add("value", value);
    String json = GSON.toJson(line);
    StringBuilder ascii = new StringBuilder(json.length());
    json.chars()
        .forEach(
            character -> {
              if (character >= ' ' && character <= '~') {
                ascii.append((char) character);
              } else {
                ascii.append("\\u%04x".formatted(character));
              }
            });
    System.out.println(ascii);
  }
}
