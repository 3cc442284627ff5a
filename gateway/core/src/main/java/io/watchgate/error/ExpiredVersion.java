package io.watchgate.error;

/**
 * Version that a stream has reached, and the present one, for the 410 of a Kubernetes watch that
 * ends with {@link StreamErrors#changesLost} or {@link StreamErrors#lagged}. Without them the
 * client would watch again from its version.
 *
 * @param reached version of the stream
 * @param current version of the present state
 */
public record ExpiredVersion(String reached, String current) {}
