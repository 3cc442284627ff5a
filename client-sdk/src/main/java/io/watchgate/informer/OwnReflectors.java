package io.watchgate.informer;

import io.watchgate.client.WatchClient;

/**
 * Each informer has its own.
 *
 * @param client that they watch with
 */
record OwnReflectors(WatchClient client) implements Reflectors {
  @Override
  public <T> Informer<T> informer(Shape<T> shape, Purpose purpose) {
    Reflector<T> reflector = shape.reflector(client, purpose);
    return new Informer<>(purpose, reflector, client.executor(), informer -> reflector.close());
  }
}
