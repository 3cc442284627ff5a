package io.watchgate.e2e.promises;

import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedKind;
import io.watchgate.check.RecordedSignal;
import io.watchgate.check.Session;
import io.watchgate.check.StartSpec;
import io.watchgate.check.Truth;
import io.watchgate.e2e.promises.WatchSession.Received;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Client of the Kubernetes read API that follows a selection as a reflector does, and records what
 * it receives for the judge: a streaming list or a list, then one short watch after the other, each
 * at the next gateway. Runs on a thread of its own.
 */
final class JudgedWatch implements AutoCloseable {
  /** Seconds of a watch: with three, a bookmark comes after one, two seconds before the end. */
  private static final int SHORTEST_SECONDS = 3;

  private static final int LONGEST_SECONDS = 6;

  /** Longer than the longest watch, and than each fault. */
  private static final Duration SILENCE = Duration.ofSeconds(12);

  private static final OkHttpClient HTTP_1 = client(Protocol.HTTP_1_1);

  /** The watches of this client share a connection. */
  private static final OkHttpClient HTTP_2 = client(Protocol.H2_PRIOR_KNOWLEDGE);

  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int PAGE = 7;

  /** One in this number of turns is a list, as after an expired position. */
  private static final int LIST_EVERY = 3;

  private static final int GONE = 410;

  private final WatchSelection selection;
  private final JudgedWatches all;
  private final Random random;
  private final OkHttpClient http;
  private final List<WatchSession> sessions = new CopyOnWriteArrayList<>();
  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private int nextGateway;
  private volatile @Nullable Call call;
  private volatile boolean settling;
  private volatile CheckedVersion position = CheckedVersion.NONE;

  JudgedWatch(WatchSelection selection, JudgedWatches all, long seed) {
    this.selection = selection;
    this.all = all;
    this.random = new Random(seed);
    this.http = random.nextBoolean() ? HTTP_1 : HTTP_2;
    this.thread = Thread.ofPlatform().daemon().name("judged watch").start(this::run);
  }

  private static OkHttpClient client(Protocol protocol) {
    return new OkHttpClient.Builder()
        .connectTimeout(Duration.ofSeconds(2))
        .readTimeout(SILENCE)
        .pingInterval(SILENCE.dividedBy(2))
        .protocols(List.of(protocol))
        .build();
  }

  WatchSelection selection() {
    return selection;
  }

  boolean isSynced() {
    return !position.equals(CheckedVersion.NONE);
  }

  private void run() {
    try {
      while (closed.getCount() > 0) {
        try {
          next();
        } catch (IOException e) {
          // The gateway, or the way to it, is away. The next one may be there.
        }
        var _ = closed.await(random.nextLong(PAUSE.toMillis()), TimeUnit.MILLISECONDS);
      }
    } catch (RuntimeException e) {
      wrong.add(selection + ": " + e);
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void next() throws IOException {
    if (isSynced() && (settling || random.nextInt(LIST_EVERY) != 0)) {
      CheckedVersion from = position;
      follow(
          new WatchSession(new StartSpec.AtVersion(from), CheckedVersion.NONE),
          "&resourceVersion=" + from);
      return;
    }
    boolean consistent = random.nextBoolean();
    CheckedVersion minimum = consistent ? all.latest(selection.type()) : CheckedVersion.NONE;
    WatchSession session = new WatchSession(new StartSpec.WithSnapshot(), minimum);
    String version = "&resourceVersion=" + (consistent ? "" : "0");
    if (random.nextBoolean()) {
      follow(session, version + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    } else {
      list(session, version);
    }
  }

  private Response open(String query) throws IOException {
    List<URI> gateways = all.gateways();
    URI gateway = gateways.get(nextGateway++ % gateways.size());
    Call opened =
        http.newCall(
            new Request.Builder()
                .url(gateway.resolve(selection.path() + query).toString())
                // For what is relayed: the gateway itself does not authenticate.
                .header("Authorization", "Bearer " + all.token())
                .header("Accept", "application/json")
                .build());
    call = opened;
    if (closed.getCount() == 0) {
      opened.cancel();
    }
    return opened.execute();
  }

  /** Returns whether the request succeeded, with an answer that can be judged. */
  private boolean isAnswered(Response response) {
    String source = String.valueOf(response.header("Watchgate-Source"));
    if (source.equals("apiserver") && all.relayed() == JudgedWatches.Relayed.IGNORED) {
      position = CheckedVersion.NONE;
      return false;
    }
    switch (response.code()) {
      case 200 -> {
        all.answered(source);
        return true;
      }
      case GONE -> position = CheckedVersion.NONE;
      case 429, 500, 502, 503, 504 -> {}
      default -> wrong.add(selection + ": " + response.request().url() + " got " + response.code());
    }
    return false;
  }

  // ---- lists

  private void list(WatchSession session, String version) throws IOException {
    List<Received> objects = new ArrayList<>();
    String query = selection.query() + version + "&limit=" + PAGE;
    while (true) {
      JsonObject page;
      try (Response response = open(query)) {
        if (!isAnswered(response)) {
          return;
        }
        page = JsonParser.parseString(response.body().string()).getAsJsonObject();
      }
      objects.addAll(items(page));
      JsonObject metadata = page.getAsJsonObject("metadata");
      JsonElement more = metadata.get("continue");
      if (more == null || more.getAsString().isEmpty()) {
        String at = metadata.get("resourceVersion").getAsString();
        session.snapshotEnds(objects, CheckedVersion.of(at));
        sessions.add(session);
        reach(CheckedVersion.of(at));
        return;
      }
      query = selection.query() + "&limit=" + PAGE + "&continue=" + more.getAsString();
    }
  }

  private static List<Received> items(JsonObject page) {
    JsonElement items = page.get("items");
    String kind = page.get("kind").getAsString();
    List<Received> objects = new ArrayList<>();
    if (items instanceof JsonArray array) {
      for (JsonElement item : array) {
        JsonObject object = item.getAsJsonObject();
        // Objects of a list do not have them.
        object.add("apiVersion", page.get("apiVersion"));
        object.addProperty("kind", kind.substring(0, kind.length() - "List".length()));
        objects.add(new Received(RecordedKind.ADDED, object));
      }
    }
    return objects;
  }

  // ---- watches

  private void follow(WatchSession session, String start) throws IOException {
    int seconds =
        settling ? SHORTEST_SECONDS : random.nextInt(SHORTEST_SECONDS, LONGEST_SECONDS + 1);
    try (Response response =
        open(
            selection.query()
                + "&watch=1&allowWatchBookmarks=true&timeoutSeconds="
                + seconds
                + start)) {
      if (!isAnswered(response)) {
        return;
      }
      sessions.add(session);
      BufferedSource body = response.body().source();
      for (String line = body.readUtf8Line(); line != null; line = body.readUtf8Line()) {
        if (closed.getCount() == 0 || !received(session, line)) {
          return;
        }
      }
    }
  }

  /** Returns whether the watch goes on. */
  private boolean received(WatchSession session, String line) {
    JsonObject frame = JsonParser.parseString(line).getAsJsonObject();
    JsonObject object = frame.getAsJsonObject("object");
    String type = frame.get("type").getAsString();
    switch (type) {
      case "ERROR" -> {
        if (object.get("code").getAsInt() == GONE) {
          position = CheckedVersion.NONE;
        }
        return false;
      }
      case "BOOKMARK" -> {
        CheckedVersion at = Received.version(object);
        if (session.isInSnapshot()) {
          if (!isInitialEnd(object)) {
            wrong.add(selection + ": a bookmark before the end of the initial events");
          }
          session.snapshotEnds(List.of(), at);
        } else {
          session.add(List.of(), at, new RecordedSignal.Bookmark(Optional.empty()));
        }
        reach(at);
      }
      default -> {
        Received event = new Received(RecordedKind.valueOf(type), object);
        if (session.isInSnapshot()) {
          session.add(List.of(event), CheckedVersion.NONE, RecordedSignal.Plain.NONE);
        } else {
          session.add(List.of(event), event.version(), RecordedSignal.Plain.NONE);
          reach(event.version());
        }
      }
    }
    return true;
  }

  private static boolean isInitialEnd(JsonObject bookmark) {
    return bookmark.getAsJsonObject("metadata").get("annotations") instanceof JsonObject annotations
        && annotations.has("k8s.io/initial-events-end");
  }

  private void reach(CheckedVersion version) {
    position = version;
    all.seen(selection.type(), version);
  }

  // ---- judging

  /** Begins the last watch: a short one, so that a bookmark comes soon. */
  void settle() {
    settling = true;
    cancel();
  }

  private void cancel() {
    Call open = call;
    if (open != null) {
      open.cancel();
    }
  }

  /**
   * Waits, after {@link #settle}, until the last change has been passed.
   *
   * @return the sessions to judge
   */
  List<Session> settled(Truth truth, Duration limit) throws InterruptedException {
    CheckedVersion end =
        truth.changes().isEmpty() ? truth.begin() : truth.changes().getLast().state().version();
    try {
      await().atMost(limit).until(() -> position.compareTo(end) >= 0 || !thread.isAlive());
    } catch (ConditionTimeoutException e) {
      wrong.add(selection + " does not come to " + end + ", but to " + position);
    }
    close();
    thread.join();
    return sessions.stream().map(one -> one.judged(selection, truth)).toList();
  }

  /** Returns the contradictions, in a sentence each. */
  List<String> wrong() {
    return List.copyOf(wrong);
  }

  @Override
  public void close() {
    closed.countDown();
    cancel();
  }
}
