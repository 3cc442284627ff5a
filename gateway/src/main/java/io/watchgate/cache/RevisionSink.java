package io.watchgate.cache;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A chain of revisions that changes are appended to, by one writer. */
interface RevisionSink {
  /** The last, null if there is none yet. */
  @Nullable Revision head();

  /** One step of the apiserver's own order. */
  void apply(ResourceVersion version, List<Change> changes);

  /** Nothing happened up to {@code version}. */
  void progress(ResourceVersion version);
}
