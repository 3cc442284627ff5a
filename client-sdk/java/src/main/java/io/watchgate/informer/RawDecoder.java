package io.watchgate.informer;

import com.google.protobuf.ByteString;

/** Singleton of {@link Decoder#raw}, so that informers with it may share. */
final class RawDecoder implements Decoder<ByteString> {
  static final RawDecoder DECODER = new RawDecoder();

  private RawDecoder() {}

  @Override
  public ByteString decode(ByteString json) {
    return json;
  }
}
