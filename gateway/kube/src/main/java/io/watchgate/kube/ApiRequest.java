package io.watchgate.kube;

import java.time.Duration;
import okhttp3.HttpUrl;

/**
 * Request to the apiserver.
 *
 * @param url the complete URL
 * @param description description for errors: {@code list pods}
 * @param accept the media types
 * @param encoding whether the answer may be compressed
 * @param idleTimeout maximum time without a byte once the answer has begun; zero: unlimited
 * @param totalTimeout maximum time of the complete request; zero: unlimited
 */
record ApiRequest(
    HttpUrl url,
    String description,
    String accept,
    Encoding encoding,
    Duration idleTimeout,
    Duration totalTimeout) {

  static final String JSON = "application/json";

  /** Media type of a list of which only the metadata of the objects is needed. */
  static final String METADATA =
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

  /** Encoding of the answer's bytes. */
  enum Encoding {
    /** The client's default: gzip, decoded. */
    ANY,
    /** A watch that a server compresses event by event cannot be decoded by OkHttp. */
    IDENTITY
  }
}
