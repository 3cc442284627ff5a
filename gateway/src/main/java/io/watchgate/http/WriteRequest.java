package io.watchgate.http;

import java.util.Map;

/**
 * A request that is no read.
 *
 * @param query the first value of each parameter, decoded
 * @param contentType the media type of the body, without parameters and in lower case; empty
 *     without one
 * @param userAgent the header; empty without one. Its part before the first {@code /} names the
 *     field manager where the query does not
 * @param body at most 3 MiB, as at an apiserver; YAML and JSON as they came
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record WriteRequest(
    Method method,
    ApiPath path,
    Map<String, String> query,
    String contentType,
    String userAgent,
    byte[] body) {

  /** What is to be done. DELETE without a name is a deletecollection. */
  public enum Method {
    POST,
    PUT,
    PATCH,
    DELETE
  }

  public WriteRequest {
    query = Map.copyOf(query);
  }
}
