package io.watchgate.informer;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Converter of watch events into stored objects. An unreadable object is reported and results in
 * null. Confined to one thread at a time, not thread-safe.
 */
final class EventDecoder<T> {
  /** Limit of cached namespace strings; equal namespaces share one string. */
  private static final int MAX_NAMESPACES = 10_000;

  private final Decoder<T> decoder;
  private final boolean keepsJson;
  private final List<Index<T>> indexes;
  private final Consumer<InformerProblem> problems;
  private final Map<String, String> namespaces = new HashMap<>();

  /**
   * @param keepsJson whether to keep the JSON, because patches arrive and apply to it
   * @param indexes indexes whose values are stored with each object
   */
  EventDecoder(
      Decoder<T> decoder,
      boolean keepsJson,
      List<Index<T>> indexes,
      Consumer<InformerProblem> problems) {
    this.decoder = decoder;
    this.keepsJson = keepsJson;
    this.indexes = indexes;
    this.problems = problems;
  }

  /**
   * Returns an object that was sent in full.
   *
   * @param before current object of the key
   */
  @Nullable StoredObject<T> decodeFull(
      NamespacedName key, WatchEvent event, @Nullable StoredObject<T> before) {
    if (event.hasOmitted()) {
      problems.accept(
          new InformerProblem.TooLarge(
              key, event.getResourceVersion(), event.getOmitted().getSize()));
      return null;
    }
    return indexed(decoded(key, event, event.getObject(), before), before);
  }

  /** Returns the state after a change. */
  @Nullable StoredObject<T> decodeState(
      NamespacedName key, WatchEvent event, @Nullable StoredObject<T> before)
      throws JsonPatch.UnfitException {
    return event.hasPatch() ? patched(key, event, before) : decodeFull(key, event, before);
  }

  private @Nullable StoredObject<T> patched(
      NamespacedName key, WatchEvent event, @Nullable StoredObject<T> before)
      throws JsonPatch.UnfitException {
    String patch = "the patch of " + key + " at " + event.getResourceVersion();
    if (before == null
        || before.json == null
        || !before.isOf(event.getKey().getUid())
        || !before.resourceVersion().equals(event.getPatch().getBaseResourceVersion())) {
      throw new JsonPatch.UnfitException(
          patch + " is based on a state that the store does not have");
    }
    try {
      ByteString json = JsonPatch.apply(before.json, event.getPatch().getJsonPatch());
      return indexed(decoded(key, event, json, before), before);
    } catch (JsonPatch.UnfitException e) {
      throw new JsonPatch.UnfitException(patch + " does not fit: " + e.getMessage());
    }
  }

  /**
   * Returns the last known state of a removed object: the state at its removal if readable, else
   * {@code before}.
   */
  StoredObject<T> decodeLast(NamespacedName key, WatchEvent event, StoredObject<T> before) {
    if (event.getObject().isEmpty()) {
      return before;
    }
    @Nullable StoredObject<T> last = decoded(key, event, event.getObject(), before);
    return last == null ? before : last;
  }

  /** Decodes the object and reuses the key of {@code before}, so that names are stored once. */
  private @Nullable StoredObject<T> decoded(
      NamespacedName key, WatchEvent event, ByteString json, @Nullable StoredObject<T> before) {
    try {
      return new StoredObject<>(
          before == null
              ? new NamespacedName(internNamespace(key.namespace()), key.name())
              : before.key(),
          event.getKey().getUid(),
          event.getResourceVersion(),
          decoder.decode(json),
          keepsJson ? json : null,
          json.hashCode());
    } catch (Exception | Error e) { // of this object only: others are still decoded
      problems.accept(new InformerProblem.Undecodable(key, event.getResourceVersion(), e));
      return null;
    }
  }

  private @Nullable StoredObject<T> indexed(
      @Nullable StoredObject<T> object, @Nullable StoredObject<T> before) {
    if (object == null || indexes.isEmpty()) {
      return object;
    }
    List<Set<String>> values = new ArrayList<>(indexes.size());
    for (Index<T> index : indexes) {
      values.add(values(index, object));
    }
    return object.indexed(
        before != null && before.indexValues.equals(values)
            ? before.indexValues
            : List.copyOf(values));
  }

  private Set<String> values(Index<T> index, StoredObject<T> object) {
    try {
      return Set.copyOf(index.values().apply(object));
    } catch (Exception | Error e) { // of this index only
      problems.accept(
          new InformerProblem.IndexFailed(object.key(), object.resourceVersion(), index.name(), e));
      return Set.of();
    }
  }

  private String internNamespace(String namespace) {
    if (namespaces.size() > MAX_NAMESPACES) {
      namespaces.clear();
    }
    @Nullable String known = namespaces.putIfAbsent(namespace, namespace);
    return known == null ? namespace : known;
  }
}
