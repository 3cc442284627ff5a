package io.watchgate.kube;

import java.time.Duration;
import okhttp3.HttpUrl;

/**
 * What to ask the apiserver.
 *
 * @param url the whole of it
 * @param what in words, for errors: {@code list pods}
 * @param accept the media types
 * @param encoding whether the answer may be compressed
 * @param silence how long nothing may come once the answer has begun; zero: for ever
 * @param total how long all of it may take; zero: for ever
 */
record ApiRequest(
    HttpUrl url, String what, String accept, Encoding encoding, Duration silence, Duration total) {

  static final String JSON = "application/json";

  /** For who wants no more of the objects of a list than that they are there. */
  static final String METADATA =
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

  /** Of the answer's bytes. */
  enum Encoding {
    /** As the client does by itself: gzip, decoded. */
    ANY,
    /** A watch that a server compresses event by event cannot be decoded by OkHttp. */
    IDENTITY
  }
}
