package io.watchgate.bench.baseline;

import java.util.List;

/**
 * All objects as they were at a version.
 *
 * @param objects as if they had just been added
 */
record ListResult(List<EventLine> objects, long version) {
  ListResult {
    objects = List.copyOf(objects);
  }
}
