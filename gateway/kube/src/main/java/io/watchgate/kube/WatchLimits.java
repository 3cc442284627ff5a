package io.watchgate.kube;

import java.time.Duration;

/**
 * Limits of one watch.
 *
 * @param requestedDuration requested duration
 * @param slack time beyond the requested duration after which the client ends the watch
 * @param idleTimeout maximum time without a frame if bookmarks are known to be sent
 * @param objectBytes maximum bytes of one object
 */
record WatchLimits(
    Duration requestedDuration, Duration slack, Duration idleTimeout, int objectBytes) {}
