package io.watchgate.kube;

import java.time.Duration;

/**
 * Limits of one watch.
 *
 * @param asked how long the server was asked to keep it open
 * @param slack how much longer it may last before it is ended from here
 * @param silence how long it may send nothing if bookmarks are known to come
 * @param objectBytes the most bytes of one object
 */
record WatchLimits(Duration asked, Duration slack, Duration silence, int objectBytes) {}
