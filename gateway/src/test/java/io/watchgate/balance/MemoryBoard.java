package io.watchgate.balance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Registry of several replicas, in memory. */
final class MemoryBoard {
  private final Map<String, LoadRegistry.Entry> entries = new TreeMap<>();
  private long version;
  boolean away;
  boolean forbidsRemoval;

  /** Returns the registry as seen by one replica. */
  LoadRegistry of(String replica) {
    return new LoadRegistry() {
      @Override
      public void publish(int streams) throws LoadRegistryException {
        check();
        entries.put(replica, new Entry(replica, Long.toString(++version), streams));
      }

      @Override
      public List<Entry> entries() throws LoadRegistryException {
        check();
        return new ArrayList<>(entries.values());
      }

      @Override
      public void remove(String gone) throws LoadRegistryException {
        check();
        if (forbidsRemoval) {
          throw new LoadRegistryException("forbidden");
        }
        entries.remove(gone);
      }
    };
  }

  private void check() throws LoadRegistryException {
    if (away) {
      throw new LoadRegistryException("away");
    }
  }

  void clear() {
    entries.clear();
  }

  /** Returns the replicas with an entry. */
  List<String> replicas() {
    return List.copyOf(entries.keySet());
  }
}
