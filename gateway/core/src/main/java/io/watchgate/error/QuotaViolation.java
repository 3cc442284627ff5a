package io.watchgate.error;

/**
 * Limit that was reached.
 *
 * @param subject identifier of the limit, for programs: "streams", "streams:client", "feeds"
 * @param unit unit of the limit, for people
 * @param limit maximum
 * @param used current use
 */
public record QuotaViolation(String subject, String unit, long limit, long used) {}
