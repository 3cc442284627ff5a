package io.watchgate.client;

import com.google.protobuf.ByteString;

/**
 * A place in the history of one resource type, as the gateway gave it. Immutable.
 *
 * @param resourceVersion decimal digits of any length; information for people, never a place to
 *     resume from
 * @param token what to resume from; opaque, under 128 bytes
 */
public record Position(String resourceVersion, ByteString token) {}
