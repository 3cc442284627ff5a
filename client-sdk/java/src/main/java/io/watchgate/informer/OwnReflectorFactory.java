package io.watchgate.informer;

import io.watchgate.client.WatchClient;

/**
 * Factory of informers that each have their own reflector.
 *
 * @param client client of all watches
 */
record OwnReflectorFactory(WatchClient client) implements ReflectorFactory {
  @Override
  public <T> Informer<T> informer(InformerKey<T> shape, InformerOptions purpose) {
    Reflector<T> reflector = shape.reflector(client, purpose);
    return new Informer<>(purpose, reflector, client.executor(), informer -> reflector.close());
  }
}
