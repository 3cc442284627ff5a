package io.watchgate.check.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedChange;
import io.watchgate.check.RecordedKind;
import io.watchgate.check.RecordedState;
import io.watchgate.check.Truth;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.RawAnswer;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.RawApiClient.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Recorder of all changes that the apiserver reports for a type: a list, then a watch, which
 * continues at its last version whenever it ends. Reads on a virtual thread; thread-safe.
 */
final class TruthWatch implements AutoCloseable {
  private static final long RETRY_MILLIS = 200;
  private static final long TICK_MILLIS = 100;
  private static final int GONE = 410;

  private final RawApiClient api;
  private final ObjectStates states;
  private final Duration clockSkew;
  private final List<RecordedState> base = new ArrayList<>();
  private final List<RecordedChange> changes = new ArrayList<>();
  private CheckedVersion begin = CheckedVersion.NONE;
  private CheckedVersion reached = CheckedVersion.NONE;
  private @Nullable RawAnswer current;
  private @Nullable Thread thread;
  private @Nullable String failure;
  private final CountDownLatch ended = new CountDownLatch(1);
  private boolean closed;

  /**
   * @param clockSkew maximum lead of other processes' clocks
   */
  TruthWatch(RawApiClient api, ObjectStates states, Duration clockSkew) {
    this.api = api;
    this.states = states;
    this.clockSkew = clockSkew;
  }

  /** Lists the objects, and starts to watch from the version of the list. */
  void start() throws KubeException {
    JsonObject list = ObjectStates.parse(api.send(Message.get(states.type().path())));
    begin = ObjectStates.version(list);
    reached = begin;
    for (JsonElement item : list.getAsJsonArray("items")) {
      JsonObject object = item.getAsJsonObject();
      // Items of a list have neither.
      object.addProperty("apiVersion", states.type().apiVersion());
      object.addProperty("kind", states.type().kind());
      base.add(states.of(object));
    }
    thread = Thread.ofVirtual().name("check-truth-" + states.type().plural()).start(this::watch);
  }

  private void watch() {
    while (isOpen()) {
      try (RawAnswer stream = open()) {
        read(stream);
      } catch (IOException | KubeException | JsonParseException e) {
        pause();
      }
    }
  }

  private synchronized boolean isOpen() {
    return !closed && failure == null;
  }

  private RawAnswer open() throws KubeException {
    RawAnswer opened =
        api.open(
            Message.get(
                states.type().path()
                    + "?watch=1&allowWatchBookmarks=true&resourceVersion="
                    + reached()));
    synchronized (this) {
      current = opened;
      if (closed) {
        opened.close();
      }
    }
    return opened;
  }

  private void read(RawAnswer stream) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonObject event = JsonParser.parseString(line).getAsJsonObject();
        add(ObjectStates.text(event, "type"), event.getAsJsonObject("object"));
      }
    }
  }

  private synchronized void add(String type, JsonObject object) throws IOException {
    switch (type) {
      case "ADDED", "MODIFIED", "DELETED" -> {
        RecordedChange change =
            new RecordedChange(
                RecordedKind.valueOf(type), states.of(object), Instant.now().plus(clockSkew));
        changes.add(change);
        reached = change.state().version();
      }
      case "BOOKMARK" -> reached = ObjectStates.version(object);
      default -> {
        if (object.has("code") && object.get("code").getAsInt() == GONE) {
          failure =
              "the apiserver has forgotten what came after version "
                  + reached
                  + " before it was read: what really happened is not known";
        }
        throw new IOException("the watch ended");
      }
    }
    notifyAll();
  }

  /** Waits before the next attempt, or until the end. */
  private void pause() {
    try {
      var _ = ended.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized CheckedVersion reached() {
    return reached;
  }

  /** Returns those of the versions for which no change was received. */
  synchronized Set<CheckedVersion> missingOf(Set<CheckedVersion> versions) {
    Set<CheckedVersion> unknown = new TreeSet<>(versions);
    changes.forEach(change -> unknown.remove(change.state().version()));
    return unknown;
  }

  /**
   * Waits until the version is reached. Returns false if the record is broken, or after the time.
   *
   * @param hasTime whether the wait may continue; asked ten times a second
   */
  synchronized boolean await(CheckedVersion version, BooleanSupplier hasTime)
      throws InterruptedException {
    while (reached.compareTo(version) < 0 && failure == null) {
      if (!hasTime.getAsBoolean()) {
        return false;
      }
      wait(TICK_MILLIS);
    }
    return failure == null;
  }

  /** Returns the reason for which the record proves nothing, if there is one. */
  synchronized Optional<String> failure() {
    return Optional.ofNullable(failure);
  }

  /** Returns the record so far. */
  synchronized Truth truth() {
    return new Truth(begin, base, changes);
  }

  @Override
  public void close() {
    Thread waited;
    synchronized (this) {
      closed = true;
      ended.countDown();
      notifyAll();
      waited = thread;
      if (current != null) {
        current.close();
      }
    }
    if (waited != null) {
      try {
        waited.join(2_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
