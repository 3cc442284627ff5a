package io.watchgate.informer;

import io.watchgate.client.WatchClient;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Factory of informers that share one reflector for each key. A reflector is closed with the last
 * of its informers.
 */
final class SharedReflectorFactory implements ReflectorFactory {
  private final WatchClient client;
  private final Map<InformerKey<?>, Shared<?>> all = new HashMap<>();

  /** Informers that are not closed, also those whose reflector has ended. */
  private final Set<Informer<?>> open = new HashSet<>();

  private boolean isClosed;

  private record Shared<T>(Reflector<T> reflector, Set<Informer<T>> users) {}

  SharedReflectorFactory(WatchClient client) {
    this.client = client;
  }

  @Override
  public synchronized <T> Informer<T> informer(InformerKey<T> key, InformerOptions options) {
    if (isClosed) {
      throw new IllegalStateException("the shared informers are closed");
    }
    Shared<T> shared = find(key);
    if (shared == null || shared.reflector.store().error() != null) {
      // A reflector that has ended is not reused: a new one may succeed.
      shared = new Shared<>(key.reflector(client, options), new HashSet<>());
      all.put(key, shared);
    }
    Shared<T> used = shared;
    Informer<T> informer =
        new Informer<>(options, used.reflector, client.executor(), left -> release(used, left));
    used.users.add(informer);
    open.add(informer);
    return informer;
  }

  @SuppressWarnings("unchecked") // equal keys have equal decoders
  private <T> @Nullable Shared<T> find(InformerKey<T> key) {
    return (Shared<T>) all.get(key);
  }

  private synchronized <T> void release(Shared<T> shared, Informer<T> informer) {
    shared.users.remove(informer);
    open.remove(informer);
    if (shared.users.isEmpty()) {
      shared.reflector.close();
      // Removed by reflector and not by key: a decoder's equality may have changed since.
      all.values().removeIf(other -> other.reflector.equals(shared.reflector));
    }
  }

  synchronized int count() {
    return all.size();
  }

  /** Closes all informers; no more can be created. */
  void close() {
    List<Informer<?>> left;
    synchronized (this) {
      isClosed = true;
      left = List.copyOf(open);
    }
    left.forEach(Informer::close); // without the lock, for which a handler may wait
  }
}
