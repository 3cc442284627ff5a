package io.watchgate.informer;

/** Factory of informers with their reflectors. Thread-safe. */
interface ReflectorFactory {
  /**
   * Returns an informer whose reflector is not started yet, unless informers that share it have
   * started it.
   */
  <T> Informer<T> informer(InformerKey<T> key, InformerOptions options);
}
