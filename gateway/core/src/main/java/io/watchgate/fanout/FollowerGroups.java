package io.watchgate.fanout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Groups among the followers of one feed on one event loop: forms them, and limits their size. Used
 * by the event loop.
 */
final class FollowerGroups {
  /** Checks, one a second, after which larger groups are tried again. */
  private static final int LARGE_RESPONSE_CHECKS = 30;

  private final LoopFollowers followers;
  private final Executor tasks;
  private final List<FollowerGroup> groups = new ArrayList<>(0);

  /** Largest response that was too large for a group; 0 if there was none in recent checks. */
  private int largestResponse;

  private int checksUntilForgotten;

  /**
   * @param tasks runs tasks on the event loop, between deliveries
   */
  FollowerGroups(LoopFollowers followers, Executor tasks) {
    this.followers = followers;
    this.tasks = tasks;
  }

  /** Returns the groups, which change with the next call. */
  List<FollowerGroup> all() {
    return groups;
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Adds what was sent to groups to the counts of their members. */
  void countForMembers() {
    groups.forEach(FollowerGroup::countForMembers);
  }

  /** Dissolves groups that would keep frames behind history. */
  void dissolveTrimmed() {
    List.copyOf(groups).forEach(FollowerGroup::dissolveIfTrimmed);
  }

  /** Removes a group whose last member has left. */
  void remove(FollowerGroup group) {
    groups.remove(group);
  }

  /**
   * Limits the number of members, so that responses of {@code responseBytes} bytes to all of them
   * are at most {@link FollowerGroup#MAX_BYTES}.
   */
  void limitMembers(int responseBytes) {
    largestResponse = Math.max(responseBytes, largestResponse);
    checksUntilForgotten = LARGE_RESPONSE_CHECKS;
  }

  int maxMembers() {
    return Math.min(
        FollowerGroup.MAX_MEMBERS, FollowerGroup.MAX_BYTES / Math.max(1, largestResponse));
  }

  /** Dissolves groups that lag, or have one member. Called once a second. */
  void check() {
    List.copyOf(groups).forEach(FollowerGroup::check);
    if (checksUntilForgotten > 0 && --checksUntilForgotten == 0) {
      largestResponse = 0;
    }
  }

  /**
   * Groups streams of one connection that are ready and at the same position. Once a second, so
   * that streams which leave again and again do not pay for it at every change.
   *
   * @param ready streams in the order of their connections; those that joined a group stay in it
   */
  void form(List<LivePhase> ready) {
    if (ready.size() + groups.size() < 2 || maxMembers() < 2) {
      return;
    }
    Map<Long, Deque<FollowerGroup>> open = new HashMap<>();
    for (FollowerGroup group : groups) {
      open.computeIfAbsent(group.connection(), _ -> new ArrayDeque<>()).add(group);
    }
    int size = ready.size();
    for (int i = 0; i < size; i++) {
      LivePhase stream = ready.get(i);
      if (!stream.canJoinGroup()) {
        continue;
      }
      long connection = stream.connection();
      Deque<FollowerGroup> here = open.get(connection);
      while (here != null && !here.isEmpty() && here.getFirst().isFull()) {
        here.removeFirst();
      }
      boolean joined = here != null && !here.isEmpty() && here.getFirst().add(stream);
      boolean hasNeighbour = i + 1 < size && ready.get(i + 1).connection() == connection;
      if (!joined && hasNeighbour) {
        FollowerGroup created = FollowerGroup.of(followers, tasks, stream);
        if (created != null) {
          groups.add(created);
          open.computeIfAbsent(connection, _ -> new ArrayDeque<>()).addFirst(created);
        }
      }
    }
  }
}
