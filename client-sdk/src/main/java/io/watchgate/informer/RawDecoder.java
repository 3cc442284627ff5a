package io.watchgate.informer;

import com.google.protobuf.ByteString;

/** {@link Decoder#raw}, of which there is one, so that informers with it may share. */
final class RawDecoder implements Decoder<ByteString> {
  static final RawDecoder DECODER = new RawDecoder();

  private RawDecoder() {}

  @Override
  public ByteString decode(ByteString json) {
    return json;
  }
}
