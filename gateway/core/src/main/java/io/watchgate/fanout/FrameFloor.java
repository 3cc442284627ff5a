package io.watchgate.fanout;

import org.jspecify.annotations.Nullable;

/**
 * Reference to the earliest frame node that the followers of one feed on one event loop may still
 * read. Followers share it, so that two counts change per frame and event loop and not two per
 * stream; one that has just joined, or lags, has a reference of its own and is excluded. The floor
 * moves once per generation: when all that share it have reached the end of the log. Used by one
 * event loop.
 */
final class FrameFloor {
  private int members;

  /** Members that hold their own reference. */
  private int withOwnReference;

  /**
   * All members without their own reference are at this node or after it; null if there are none.
   */
  private @Nullable FrameNode floor;

  /**
   * Number of the current generation. It ends when all members without their own reference have
   * reached the end of the log in it.
   */
  private int generation = 1;

  /**
   * Number of members that reached the end of the log in this generation, and the node that the
   * first of them reached. The others reached the same node or a later one.
   */
  private int reached;

  private @Nullable FrameNode first;

  /** Adds a stream, which holds its own reference. */
  void add(LivePhase stream) {
    members++;
    withOwnReference++;
    stream.hasOwnReference = true;
    stream.generation = 0;
  }

  /** Removes a stream. Returns whether it was the last. */
  boolean remove(LivePhase stream) {
    members--;
    if (stream.hasOwnReference) {
      withOwnReference--;
    } else if (stream.generation == generation) {
      reached--;
    }
    move();
    return members == 0;
  }

  /** Excludes a stream, because it holds its own reference from now on. */
  void markOwnReference(LivePhase stream) {
    stream.hasOwnReference = true;
    withOwnReference++;
    if (stream.generation == generation) {
      reached--;
      stream.generation = 0;
    }
    move();
  }

  /**
   * Records that a stream has reached the end of the log. It needs no reference of its own from now
   * on.
   *
   * @param end node of the stream, which has no next entry yet
   */
  void markAtEnd(LivePhase stream, FrameNode end) {
    if (stream.hasOwnReference) {
      stream.hasOwnReference = false;
      withOwnReference--;
    }
    if (stream.generation != generation) {
      stream.generation = generation;
      if (reached++ == 0) {
        first = end;
      }
      move();
    }
  }

  /** Records that all members of a group have reached the end of the log. */
  void markAtEnd(FollowerGroup group) {
    if (group.generation() != generation) {
      group.setGeneration(generation);
      if (reached == 0) {
        first = group.node();
      }
      reached += group.size();
      move();
    }
  }

  /**
   * Ensures that either both a stream and the group that it joins have reached the end of the log
   * in the current generation, or neither has. Both must be at the end of the log.
   */
  void align(LivePhase stream, FollowerGroup group) {
    while ((stream.generation == generation) != (group.generation() == generation)) {
      if (stream.generation == generation) {
        markAtEnd(group);
      } else {
        markAtEnd(stream, stream.node());
      }
    }
  }

  /**
   * Moves the floor to the earliest node that every member has reached since the last move, and
   * releases the former one.
   */
  private void move() {
    if (members == withOwnReference) {
      if (floor != null) {
        floor.release();
        floor = null;
      }
      startGeneration();
      return;
    }
    FrameNode reachedByAll = first;
    if (reachedByAll == null || (floor != null && reached < members - withOwnReference)) {
      return;
    }
    if (!reachedByAll.equals(floor)) {
      reachedByAll.retain();
      if (floor != null) {
        floor.release();
      }
      floor = reachedByAll;
    }
    if (reached == members - withOwnReference) {
      startGeneration();
    }
  }

  private void startGeneration() {
    generation++;
    reached = 0;
    first = null;
  }
}
