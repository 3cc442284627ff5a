package io.watchgate.fanout;

/**
 * A limit that was reached.
 *
 * @param subject what it is about, for programs: "streams", "streams:client", "feeds"
 * @param unit what it counts, for people
 * @param limit the most there may be
 * @param used how many there are
 */
public record QuotaViolation(String subject, String unit, long limit, long used) {}
