package io.watchgate.informer;

import com.google.protobuf.ByteString;

/**
 * Makes of an object's JSON what the program works with. Must be thread-safe if several informers
 * share it; each calls it on one thread at a time.
 */
@FunctionalInterface
public interface Decoder<T> {
  /**
   * What the object is to the program. An exception has this state of the object passed over and
   * reported ({@link InformerProblem.Undecodable}); the informer goes on.
   *
   * @param json as in the apiserver's own watch event, less what the projection leaves out; empty
   *     if that leaves out all
   */
  T decode(ByteString json) throws Exception;

  /** Leaves the JSON as it is. */
  static Decoder<ByteString> raw() {
    return RawDecoder.DECODER;
  }
}
