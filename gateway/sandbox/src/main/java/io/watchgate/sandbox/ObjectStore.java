package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.Change;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.StateMap;
import io.watchgate.cache.TimeSource;
import io.watchgate.http.StatusException;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Total order of all writes, as in etcd: a lock around one version counter and the caches of all
 * types. Every writer holds the lock; readers never take it.
 */
final class ObjectStore {
  /**
   * Approximate heap bytes of a map node and an object's view, in addition to the object's bytes.
   */
  private static final int OBJECT_OVERHEAD = 256;

  private final ReentrantLock lock = new ReentrantLock();
  private final TimeSource time;
  private final long maxBytes;
  private final EventExpiry expiry;

  /** The version of the last change. An empty store starts at 1, because 0 is not a version. */
  private long version = 1;

  private long bytes;

  ObjectStore(TimeSource time, long maxBytes, EventExpiry expiry) {
    this.time = time;
    this.maxBytes = maxBytes;
    this.expiry = expiry;
  }

  /** A task that runs under the lock. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws StatusException;
  }

  /** Runs the task with the lock held, so that nothing changes meanwhile. Reentrant. */
  <T> T runLocked(Work<T> work) throws StatusException {
    lock.lock();
    try {
      return work.run();
    } finally {
      lock.unlock();
    }
  }

  /** Advances the version of an unchanged type to the current version. */
  void catchUp(StoredVersion type) {
    lock.lock();
    try {
      advanceVersion(type);
    } finally {
      lock.unlock();
    }
  }

  // The following methods are called with the lock held.

  ResourceVersion version() {
    return new ResourceVersion(Long.toString(version));
  }

  /** Returns the current time in the form of objects' timestamps, in whole seconds. */
  String now() {
    return time.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /**
   * Stores an object under the next version, which is set in the object. Replaces an existing
   * object of the same name.
   *
   * @param object in the form of {@link ObjectNormalizer#canonical}
   */
  void put(StoredType type, JsonObject object) throws StatusException {
    Write write = prepare(type, object);
    requireRoom(write.growth);
    apply(write);
  }

  /**
   * Like {@link #put}, for an object that is being marked as deleted (deletionTimestamp). It is
   * stored also if the store is full, because the deletion makes room.
   */
  void putMarked(StoredType type, JsonObject object) {
    apply(prepare(type, object));
  }

  /**
   * Write that is not applied.
   *
   * @param changes change of each version of the type
   * @param growth additional bytes
   */
  private record Write(StoredType type, JsonObject metadata, List<Change> changes, long growth) {}

  private Write prepare(StoredType type, JsonObject object) {
    ResourceVersion next = next();
    JsonObject metadata = Metadata.of(object);
    metadata.addProperty(Metadata.VERSION, next.digits());
    object.add("metadata", Metadata.canonical(metadata));
    List<Change> changes = new ArrayList<>(type.versions().size());
    long growth = 0;
    for (StoredVersion shown : type.versions()) {
      KubeObject now = read(shown, shown.encodeStored(object));
      KubeObject old = shown.state().get(now.key());
      changes.add(new Change(old, now));
      growth += size(now) - (old == null ? 0 : size(old));
    }
    return new Write(type, metadata, changes, growth);
  }

  private void apply(Write write) {
    ResourceVersion next = next();
    version++;
    bytes += write.growth;
    for (int i = 0; i < write.changes.size(); i++) {
      write.type.versions().get(i).cache().apply(next, write.changes.get(i));
    }
    if (write.type.strategy().has(Trait.EXPIRES)) {
      expiry.touch(
          JsonTree.text(write.metadata, Metadata.NAMESPACE),
          JsonTree.text(write.metadata, Metadata.NAME));
    }
  }

  private void requireRoom(long growth) throws StatusException {
    if (growth > 0 && bytes + growth > maxBytes) {
      throw WriteErrors.insufficientStorage(maxBytes);
    }
  }

  /**
   * Requires room for the objects of a type in further versions.
   *
   * @throws StatusException 507 if there is none
   */
  void requireRoomFor(StoredType type, int moreVersions) throws StatusException {
    requireRoom(moreVersions * size(type.state()));
  }

  /** Removes an object. Returns the version of the removal. */
  ResourceVersion remove(StoredType type, KubeObject object) {
    ResourceVersion next = next();
    version++;
    for (StoredVersion shown : type.versions()) {
      KubeObject old = shown.state().get(object.key());
      if (old != null) {
        bytes -= size(old);
        shown.cache().apply(next, new Change(old, null));
      }
    }
    if (type.strategy().has(Trait.EXPIRES)) {
      expiry.remove(object.namespace(), object.name());
    }
    return next;
  }

  /**
   * Reports that a type has not changed up to the current version. Skips a type that has ended,
   * because another type may have replaced it.
   */
  void advanceVersion(StoredVersion type) {
    if (!type.cache().cache().upstreamState().phase().isEnd()) {
      type.cache().progress(version());
    }
  }

  void advanceVersion(StoredType type) {
    type.versions().forEach(this::advanceVersion);
  }

  /** Counts the bytes of a type's existing objects. */
  void addBytesOf(StoredType type) {
    type.versions().forEach(version -> bytes += size(version.state()));
  }

  /** Subtracts the bytes of a type that is removed with all its objects. */
  void subtractBytesOf(StoredType type) {
    type.versions().forEach(version -> bytes -= size(version.state()));
  }

  private static long size(StateMap state) {
    return state.objectBytes() + (long) OBJECT_OVERHEAD * state.size();
  }

  private ResourceVersion next() {
    return new ResourceVersion(Long.toString(version + 1));
  }

  private static long size(KubeObject object) {
    return (long) object.retainedBytes() + OBJECT_OVERHEAD;
  }

  private static KubeObject read(StoredVersion type, byte[] object) {
    try {
      return type.cache().read(object);
    } catch (JsonException e) {
      throw new IllegalStateException("an object of " + type.type() + " was stored unchecked", e);
    }
  }
}
