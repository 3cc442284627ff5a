package io.watchgate.informer;

/** Where informers get what they hold. Thread-safe. */
interface Reflectors {
  /** One that is yet to be started, unless others have started it. */
  <T> Informer<T> informer(Shape<T> shape, Purpose purpose);
}
