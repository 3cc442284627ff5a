package io.watchgate.informer;

/** Where informers get what they hold. Thread-safe. */
interface ReflectorFactory {
  /** One that is yet to be started, unless others have started it. */
  <T> Informer<T> informer(InformerKey<T> shape, InformerOptions purpose);
}
