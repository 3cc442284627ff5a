package io.watchgate.client;

import com.google.protobuf.ByteString;

/**
 * Position in the timeline of one resource type, as sent by the gateway. Immutable.
 *
 * @param resourceVersion decimal digits of any length; information for people, not usable to resume
 * @param token opaque token to resume from, under 128 bytes
 */
public record Position(String resourceVersion, ByteString token) {}
