package io.watchgate.e2e.promises;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.Session;
import io.watchgate.check.Truth;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.ResourceVersions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Store of a package in another language: the states that its process has printed, and the changes
 * that its readers have got. Each reader begins with an empty map.
 */
final class PackageStore implements JudgedStore {
  private final String language;
  private final String name;
  private final InformerSelection interest;
  private final PackageStores process;
  private final List<StoreState> states = new ArrayList<>();
  private final List<ReaderRecorder> readers = new ArrayList<>();

  /** Objects that differ between the last state and what the changes of the last reader give. */
  private final Set<NamespacedName> differing = new HashSet<>();

  private final List<String> wrong = new ArrayList<>();

  /** Time of the last agreement between the changes and a state, in nanoseconds. */
  private long agreed = System.nanoTime();

  PackageStore(String language, InformerSelection interest, PackageStores process) {
    this.language = language;
    this.name = language + ", " + interest;
    this.interest = interest;
    this.process = process;
  }

  /** Takes a line of the process. */
  void accept(JsonNode line) {
    if (line.has("error")) {
      wrong.add(name + " has ended: " + line.get("error").textValue());
    } else if (line.has("key")) {
      acceptChange(line);
    } else if (line.has("reader")) {
      readers.add(new ReaderRecorder(name + ", reader " + line.get("reader")));
      differing.clear();
      differing.addAll(objects().keySet());
    } else {
      acceptState(line);
    }
    if (differing.isEmpty()) {
      agreed = System.nanoTime();
    }
  }

  private void acceptChange(JsonNode line) {
    NamespacedName key = key(line.get("key"));
    readers.getLast().accept(key, object(line.get("old")), object(line.get("new")));
    compare(key);
  }

  private void acceptState(JsonNode line) {
    Map<NamespacedName, HeldObject> objects = new HashMap<>(objects());
    Set<NamespacedName> changed = new HashSet<>();
    for (JsonNode text : line.get("gone")) {
      NamespacedName gone = key(text);
      changed.add(gone);
      if (objects.remove(gone) == null) {
        wrong.add(name + " lost an object that it did not have: " + gone);
      }
    }
    for (JsonNode json : line.get("changed")) {
      HeldObject object = HeldObject.of(json.textValue());
      changed.add(object.key());
      objects.put(object.key(), object);
    }
    states.add(new StoreState(line.get("resourceVersion").textValue(), objects));
    changed.forEach(this::compare);
  }

  private static NamespacedName key(JsonNode text) {
    String[] parts = text.textValue().split("/", 2);
    return new NamespacedName(parts[0], parts[1]);
  }

  private static @Nullable HeldObject object(JsonNode json) {
    return json.isNull() ? null : HeldObject.of(json.textValue());
  }

  private Map<NamespacedName, HeldObject> objects() {
    return states.isEmpty() ? Map.of() : states.getLast().objects();
  }

  private void compare(NamespacedName key) {
    @Nullable HeldObject read = readers.isEmpty() ? null : readers.getLast().held(key);
    if (Objects.equals(objects().get(key), read)) {
      differing.remove(key);
    } else {
      differing.add(key);
    }
  }

  @Override
  public String language() {
    return language;
  }

  @Override
  public InformerSelection interest() {
    return interest;
  }

  @Override
  public boolean isSynced() {
    return stateCount() > 0;
  }

  @Override
  public int stateCount() {
    process.read();
    return states.size();
  }

  /** Returns the last state. */
  StoreState state() {
    return stateCount() > 0 ? states.getLast() : StoreState.EMPTY;
  }

  @Override
  public void compareChanges(Duration limit) {
    process.read();
    if (differing.isEmpty()) {
      agreed = System.nanoTime();
    } else if (System.nanoTime() - agreed > limit.toNanos()) {
      reportDifference(limit);
    }
  }

  private void reportDifference(Duration limit) {
    agreed = System.nanoTime(); // the next report comes after another limit
    wrong.add(
        "%s: its changes gave none of its states within %s; they differ in %s"
            .formatted(name, limit, differing));
  }

  /**
   * Waits for the last change of its selection: a later version comes with a bookmark only, up to
   * 30 s later. Then waits until a reader of its changes has all of them.
   */
  @Override
  public List<Session> settled(Truth truth, Duration limit) {
    CheckedVersion end = truth.end(interest.query());
    try {
      await().atMost(limit).until(() -> hasReached(end.toString()));
    } catch (ConditionTimeoutException e) {
      wrong.add(name + " does not come to " + end + "; its process " + process.fault());
    }
    try {
      await().atMost(limit).until(this::isReadToTheEnd);
    } catch (ConditionTimeoutException e) {
      reportDifference(limit);
    }
    List<Session> sessions = new ArrayList<>();
    sessions.add(InformerSessions.ofStore(name, interest, states));
    for (ReaderRecorder reader : readers) {
      boolean isLast = reader == readers.getLast() && !states.isEmpty();
      String last = isLast ? states.getLast().resourceVersion() : "";
      sessions.add(
          InformerSessions.ofHandler(
              reader.name(), reader.events(), interest, truth.begin(), last));
    }
    return sessions;
  }

  private boolean isReadToTheEnd() {
    process.read();
    return differing.isEmpty();
  }

  private boolean hasReached(String version) {
    return stateCount() > 0
        && ResourceVersions.compare(states.getLast().resourceVersion(), version) >= 0;
  }

  @Override
  public List<String> wrong() {
    List<String> all = new ArrayList<>(wrong);
    readers.forEach(reader -> all.addAll(reader.wrong()));
    return all;
  }

  @Override
  public void close() {
    process.close();
  }
}
