package io.watchgate.informer;

import io.watchgate.client.WatchClient;

/**
 * Each informer has its own.
 *
 * @param client that they watch with
 */
record OwnReflectorFactory(WatchClient client) implements ReflectorFactory {
  @Override
  public <T> Informer<T> informer(InformerKey<T> shape, InformerOptions purpose) {
    Reflector<T> reflector = shape.reflector(client, purpose);
    return new Informer<>(purpose, reflector, client.executor(), informer -> reflector.close());
  }
}
