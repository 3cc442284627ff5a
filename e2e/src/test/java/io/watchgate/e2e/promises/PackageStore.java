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
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionTimeoutException;

/** Store of a package in another language, and the states that its process has printed. */
final class PackageStore implements JudgedStore {
  private final String language;
  private final String name;
  private final InformerSelection interest;
  private final PackageStores process;
  private final List<StoreState> states = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

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
      return;
    }
    Map<NamespacedName, HeldObject> objects =
        new HashMap<>(states.isEmpty() ? Map.of() : states.getLast().objects());
    for (JsonNode key : line.get("gone")) {
      String text = key.textValue();
      int slash = text.indexOf('/');
      NamespacedName gone = new NamespacedName(text.substring(0, slash), text.substring(slash + 1));
      if (objects.remove(gone) == null) {
        wrong.add(name + " lost an object that it did not have: " + key);
      }
    }
    for (JsonNode json : line.get("changed")) {
      HeldObject object = HeldObject.of(json.textValue());
      objects.put(object.key(), object);
    }
    states.add(new StoreState(line.get("resourceVersion").textValue(), objects));
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

  /**
   * Waits for the last change of its selection: a later version comes with a bookmark only, up to
   * 30 s later.
   */
  @Override
  public List<Session> settled(Truth truth, Duration limit) {
    CheckedVersion end = truth.end(interest.query());
    try {
      await().atMost(limit).until(() -> hasReached(end.toString()));
    } catch (ConditionTimeoutException e) {
      wrong.add(name + " does not come to " + end + "; its process " + process.fault());
    }
    return List.of(InformerSessions.ofStore(name, interest, states));
  }

  private boolean hasReached(String version) {
    return stateCount() > 0
        && ResourceVersions.compare(states.getLast().resourceVersion(), version) >= 0;
  }

  @Override
  public List<String> wrong() {
    return wrong;
  }

  @Override
  public void close() {
    process.close();
  }
}
