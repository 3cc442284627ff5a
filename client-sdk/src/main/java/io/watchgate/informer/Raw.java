package io.watchgate.informer;

import com.google.protobuf.ByteString;

/** {@link Decoder#raw}, of which there is one, so that informers with it may share. */
final class Raw implements Decoder<ByteString> {
  static final Raw DECODER = new Raw();

  private Raw() {}

  @Override
  public ByteString decode(ByteString json) {
    return json;
  }
}
