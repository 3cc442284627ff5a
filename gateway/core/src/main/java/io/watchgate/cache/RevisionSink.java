package io.watchgate.cache;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chain of revisions to which one writer appends changes. */
interface RevisionSink {
  /** Returns the last revision, null if there is none yet. */
  @Nullable Revision head();

  /** Appends one transition of the apiserver's own order. */
  void apply(ResourceVersion version, List<Change> changes);

  /** Records that nothing happened up to {@code version}. */
  void progress(ResourceVersion version);
}
