package io.watchgate.balance;

import java.util.List;

/** Registry in which replicas publish their stream counts. Confined to one thread. */
public interface LoadRegistry {
  /**
   * Last entry of a replica.
   *
   * @param version changes with each publication
   */
  record Entry(String replica, String version, int streams) {}

  /** Publishes the count of this replica. */
  void publish(int streams) throws LoadRegistryException;

  /** Returns the entries of all replicas, including this one. */
  List<Entry> entries() throws LoadRegistryException;

  /** Removes the entry of a replica, if it exists. */
  void remove(String replica) throws LoadRegistryException;
}
