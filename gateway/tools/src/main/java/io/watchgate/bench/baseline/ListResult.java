package io.watchgate.bench.baseline;

import java.util.List;

/**
 * All objects at a version.
 *
 * @param objects events as if all objects had just been added
 */
record ListResult(List<EventLine> objects, long version) {
  ListResult {
    objects = List.copyOf(objects);
  }
}
