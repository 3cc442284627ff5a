package io.watchgate.bench.yardstick;

import java.util.List;

/**
 * All objects as they were at a version.
 *
 * @param objects as if they had just been added
 */
record Listed(List<EventLine> objects, long version) {
  Listed {
    objects = List.copyOf(objects);
  }
}
