package io.watchgate.informer;

import com.google.protobuf.ByteString;

/**
 * Decoder of an object's JSON into the program's type. Must be thread-safe if several informers
 * share it; each informer calls it on one thread at a time.
 */
@FunctionalInterface
public interface Decoder<T> {
  /**
   * Returns the decoded object. If it throws, this state of the object is skipped and reported
   * ({@link InformerProblem.Undecodable}), and the informer continues.
   *
   * @param json as in the apiserver's own watch event, without the parts that the projection leaves
   *     out; empty if the projection leaves out everything
   */
  T decode(ByteString json) throws Exception;

  /** Returns a decoder that keeps the JSON unchanged. */
  static Decoder<ByteString> raw() {
    return RawDecoder.DECODER;
  }
}
