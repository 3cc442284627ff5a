package io.watchgate.error;

/**
 * Version of a stream from which no stream can continue here any more; {@link
 * StreamErrors#positionExpired} has the text of the error.
 *
 * @param reached version of the stream
 * @param current version of the present state
 */
public record ExpiredVersion(String reached, String current) {}
