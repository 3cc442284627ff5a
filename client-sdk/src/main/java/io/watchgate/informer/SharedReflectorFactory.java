package io.watchgate.informer;

import io.watchgate.client.WatchClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Informers of one shape have one; it goes with the last of them. */
final class SharedReflectorFactory implements ReflectorFactory {
  private final WatchClient client;
  private final Map<InformerKey<?>, Shared<?>> all = new HashMap<>();
  private boolean isClosed;

  private record Shared<T>(Reflector<T> reflector, Set<Informer<T>> users) {}

  SharedReflectorFactory(WatchClient client) {
    this.client = client;
  }

  @Override
  public synchronized <T> Informer<T> informer(InformerKey<T> shape, InformerOptions purpose) {
    if (isClosed) {
      throw new IllegalStateException("the shared informers are closed");
    }
    Shared<T> shared = find(shape);
    if (shared == null || shared.reflector.store().error() != null) {
      // Who comes after one has ended may have better luck.
      shared = new Shared<>(shape.reflector(client, purpose), new HashSet<>());
      all.put(shape, shared);
    }
    Shared<T> used = shared;
    Informer<T> informer =
        new Informer<>(purpose, used.reflector, client.executor(), left -> leave(used, left));
    used.users.add(informer);
    return informer;
  }

  @SuppressWarnings("unchecked") // an equal shape has an equal decoder, which makes the same
  private <T> @Nullable Shared<T> find(InformerKey<T> shape) {
    return (Shared<T>) all.get(shape);
  }

  private synchronized <T> void leave(Shared<T> shared, Informer<T> informer) {
    shared.users.remove(informer);
    if (shared.users.isEmpty()) {
      shared.reflector.close();
      // Not by the shape: a decoder's equality may have changed since.
      all.values().removeIf(open -> open.reflector.equals(shared.reflector));
    }
  }

  synchronized int count() {
    return all.size();
  }

  /** Closes all that there are; nobody gets one any more. */
  void close() {
    List<Informer<?>> left = new ArrayList<>();
    synchronized (this) {
      isClosed = true;
      all.values().forEach(shared -> left.addAll(shared.users));
    }
    left.forEach(Informer::close); // which waits for handlers, and they may wait for this lock
  }
}
