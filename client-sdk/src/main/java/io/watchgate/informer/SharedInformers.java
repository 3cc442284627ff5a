package io.watchgate.informer;

import io.watchgate.client.WatchClient;

/**
 * Informers that share: those of the same type, selection, projection, delivery, decoder and
 * indexes have one stream and one store, however many they are. Decoders and the functions of
 * indexes are the same if they are equal, so keep one of each. Thread-safe.
 *
 * <pre>{@code
 * SharedInformers informers = new SharedInformers(client);
 * Informer<Pod> mine = informers.informer("pods", PODS).start();
 * Informer<Pod> yours = informers.informer("pods", PODS).start(); // costs nothing more
 * }</pre>
 */
public final class SharedInformers implements AutoCloseable {
  private final SharedReflectorFactory reflectors;

  /** Of one client, which this does not close. */
  public SharedInformers(WatchClient client) {
    reflectors = new SharedReflectorFactory(client);
  }

  /**
   * An informer that is yet to be made. Each one that is started has its own handlers, name and
   * listener of problems, and is closed for itself; what they share goes with the last of them.
   *
   * @param type its plural, with its group if it has one: {@code pods}, {@code deployments.apps}
   */
  public <T> InformerBuilder<T> informer(String type, Decoder<T> decoder) {
    return new InformerBuilder<>(reflectors, type, decoder);
  }

  /** How many streams there are, which is how many stores. */
  public int streams() {
    return reflectors.count();
  }

  /** Closes all informers that were started here, as {@link Informer#close} does. */
  @Override
  public void close() {
    reflectors.close();
  }
}
