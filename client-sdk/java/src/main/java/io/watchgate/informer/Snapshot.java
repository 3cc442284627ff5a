package io.watchgate.informer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All objects of an informer at one moment. Immutable: taking a snapshot costs nothing, and all
 * reads of one snapshot are consistent.
 *
 * @param <T> type of the decoded objects
 */
public final class Snapshot<T> {
  private final PersistentHashMap<NamespacedName, StoredObject<T>> objects;

  /** Indexes in the order given to the informer; the namespace index is first. */
  private final List<IndexState<T>> indexes;

  private final Map<String, Integer> indexNumbers;
  private final String resourceVersion;

  private Snapshot(
      PersistentHashMap<NamespacedName, StoredObject<T>> objects,
      List<IndexState<T>> indexes,
      Map<String, Integer> indexNumbers,
      String resourceVersion) {
    this.objects = objects;
    this.indexes = indexes;
    this.indexNumbers = indexNumbers;
    this.resourceVersion = resourceVersion;
  }

  static <T> Snapshot<T> empty(List<Index<T>> indexes) {
    List<IndexState<T>> states = new ArrayList<>();
    states.add(IndexState.empty(IndexState.NAMESPACE));
    Map<String, Integer> indexNumbers = new HashMap<>();
    indexNumbers.put(Index.NAMESPACE, 0);
    for (Index<T> index : indexes) {
      if (indexNumbers.putIfAbsent(index.name(), states.size()) != null) {
        throw new IllegalArgumentException("there are two indexes called " + index.name());
      }
      states.add(IndexState.empty(states.size() - 1));
    }
    return new Snapshot<>(
        PersistentHashMap.empty(), List.copyOf(states), Map.copyOf(indexNumbers), "");
  }

  // ---- reads

  /**
   * Returns the version of the type up to which the snapshot is complete; empty before the informer
   * is synced.
   */
  public String resourceVersion() {
    return resourceVersion;
  }

  public int size() {
    return objects.size();
  }

  public Optional<StoredObject<T>> get(NamespacedName key) {
    return Optional.ofNullable(objects.get(key));
  }

  /** Returns the object; the namespace is empty for types without namespaces. */
  public Optional<StoredObject<T>> get(String namespace, String name) {
    return get(new NamespacedName(namespace, name));
  }

  /** Calls the action for all objects, in no order. */
  public void forEach(Consumer<? super StoredObject<T>> action) {
    objects.forEach((key, object) -> action.accept(object));
  }

  /** Returns a new list of all objects, in no order. */
  public List<StoredObject<T>> list() {
    return list(object -> true);
  }

  /** Returns the objects that fulfil the condition, in no order; tests each object. */
  public List<StoredObject<T>> list(Predicate<? super StoredObject<T>> wanted) {
    List<StoredObject<T>> list = new ArrayList<>();
    forEach(
        object -> {
          if (wanted.test(object)) {
            list.add(object);
          }
        });
    return list;
  }

  /**
   * Returns the objects that match a selector, in no order; tests each object.
   *
   * @param labels function that returns an object's labels; {@link Labels#ofJson} for objects
   *     stored as JSON
   */
  public List<StoredObject<T>> list(
      LabelSelector selector, Function<? super T, ? extends Map<String, String>> labels) {
    return list(object -> selector.matches(labels.apply(object.value())));
  }

  /** Returns the objects of a namespace, in no order; the cost is proportional to the result. */
  public List<StoredObject<T>> inNamespace(String namespace) {
    return byIndex(Index.NAMESPACE, namespace);
  }

  /**
   * Returns the objects of an index value, in no order; the cost is proportional to the result.
   *
   * @throws IllegalArgumentException if the informer has no index of that name
   */
  public List<StoredObject<T>> byIndex(String index, String value) {
    return indexes.get(indexNumber(index)).objectsOf(value);
  }

  /**
   * Returns the values of an index that have objects, in no order.
   *
   * @throws IllegalArgumentException if the informer has no index of that name
   */
  public List<String> indexValues(String index) {
    return indexes.get(indexNumber(index)).values();
  }

  private int indexNumber(String index) {
    Integer number = indexNumbers.get(index);
    if (number == null) {
      throw new IllegalArgumentException(
          "there is no index called "
              + index
              + "; give it to the informer's builder. There are: "
              + String.join(", ", indexNumbers.keySet().stream().sorted().toList()));
    }
    return number;
  }

  // ---- modified copies, for the informer

  @Nullable StoredObject<T> find(NamespacedName key) {
    return objects.get(key);
  }

  /** Returns a copy with the object added or replaced. */
  Snapshot<T> with(StoredObject<T> object) {
    @Nullable StoredObject<T> before = find(object.key());
    return new Snapshot<>(
        objects.put(object.key(), object),
        updatedIndexes(before, object),
        indexNumbers,
        resourceVersion);
  }

  Snapshot<T> without(NamespacedName key) {
    @Nullable StoredObject<T> before = find(key);
    return before == null
        ? this
        : new Snapshot<>(
            objects.remove(key), updatedIndexes(before, null), indexNumbers, resourceVersion);
  }

  Snapshot<T> at(String version) {
    return version.equals(resourceVersion)
        ? this
        : new Snapshot<>(objects, indexes, indexNumbers, version);
  }

  private List<IndexState<T>> updatedIndexes(
      @Nullable StoredObject<T> before, @Nullable StoredObject<T> after) {
    List<IndexState<T>> moved = new ArrayList<>(indexes.size());
    for (IndexState<T> index : indexes) {
      moved.add(index.replaced(before, after));
    }
    return moved;
  }

  /** Returns the number of objects and the version; never the objects. */
  @Override
  public String toString() {
    return size() + " objects at version " + (resourceVersion.isEmpty() ? "-" : resourceVersion);
  }
}
