package io.watchgate.informer;

import io.watchgate.client.WatchClient;

/**
 * Factory of informers that share streams and stores. Informers with the same type, selection,
 * projection, delivery, decoder and indexes use one stream and one store. Decoders and index
 * functions are compared by {@code equals}, so keep one instance of each. Thread-safe.
 *
 * <pre>{@code
 * SharedInformers informers = new SharedInformers(client);
 * Informer<Pod> mine = informers.informer("pods", PODS).start();
 * Informer<Pod> yours = informers.informer("pods", PODS).start(); // costs nothing more
 * }</pre>
 */
public final class SharedInformers implements AutoCloseable {
  private final SharedReflectorFactory reflectors;

  /** Creates a factory on a client, which it does not close. */
  public SharedInformers(WatchClient client) {
    reflectors = new SharedReflectorFactory(client);
  }

  /**
   * Returns a builder of an informer. Each started informer has its own handlers, name and problem
   * listener, and is closed separately; the shared stream and store are released with the last
   * informer.
   *
   * @param type plural name, with its group if it has one: {@code pods}, {@code deployments.apps}
   */
  public <T> InformerBuilder<T> informer(String type, Decoder<T> decoder) {
    return new InformerBuilder<>(reflectors, type, decoder);
  }

  /** Returns the number of streams, which equals the number of stores. */
  public int streamCount() {
    return reflectors.count();
  }

  /** Closes all informers that were started here, as {@link Informer#close} does. */
  @Override
  public void close() {
    reflectors.close();
  }
}
