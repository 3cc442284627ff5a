package io.watchgate.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Which replicas there are at the moment. */
interface ReplicaResolver {
  /**
   * Looks it up; may block.
   *
   * @throws UnknownHostException if the name leads nowhere
   */
  List<HostPort> targets() throws UnknownHostException;

  /** Every address of a name, as a headless Service has them. */
  static ReplicaResolver ofName(HostPort name) {
    return () -> {
      List<HostPort> targets = new ArrayList<>();
      for (InetAddress address : InetAddress.getAllByName(name.host())) {
        targets.add(new HostPort(address.getHostAddress(), name.port()));
      }
      return targets;
    };
  }
}
