package io.watchgate.balance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What several replicas say, in memory. */
final class MemoryBoard {
  private final Map<String, Board.Entry> entries = new TreeMap<>();
  private long version;
  boolean away;
  boolean forbidsRemoval;

  /** As one of them has it. */
  Board of(String replica) {
    return new Board() {
      @Override
      public void tell(int streams) throws BoardException {
        check();
        entries.put(replica, new Entry(replica, Long.toString(++version), streams));
      }

      @Override
      public List<Entry> entries() throws BoardException {
        check();
        return new ArrayList<>(entries.values());
      }

      @Override
      public void remove(String gone) throws BoardException {
        check();
        if (forbidsRemoval) {
          throw new BoardException("forbidden");
        }
        entries.remove(gone);
      }
    };
  }

  private void check() throws BoardException {
    if (away) {
      throw new BoardException("away");
    }
  }

  void clear() {
    entries.clear();
  }

  /** Those that are on it. */
  List<String> replicas() {
    return List.copyOf(entries.keySet());
  }
}
