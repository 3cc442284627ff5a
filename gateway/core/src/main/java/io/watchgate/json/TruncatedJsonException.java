package io.watchgate.json;

import java.io.IOException;

/** Error for a stream that ended, without an error of its own, in the middle of a JSON document. */
public final class TruncatedJsonException extends IOException {
  TruncatedJsonException(long bytes) {
    super("the stream ended inside a JSON document, after " + bytes + " bytes");
  }
}
