package io.watchgate.balance;

import java.util.List;

/** Where replicas say how many streams they have. From one thread. */
public interface LoadRegistry {
  /**
   * What a replica said last.
   *
   * @param version another one each time that it says something
   */
  record Entry(String replica, String version, int streams) {}

  /** Says it for this replica. */
  void tell(int streams) throws LoadRegistryException;

  /** What all said, this one too. */
  List<Entry> entries() throws LoadRegistryException;

  /** Takes off what a replica said, if it is there. */
  void remove(String replica) throws LoadRegistryException;
}
