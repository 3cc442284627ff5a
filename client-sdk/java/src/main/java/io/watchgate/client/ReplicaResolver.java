package io.watchgate.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Source of the addresses of the gateway's current replicas. */
interface ReplicaResolver {
  /**
   * Looks up the addresses; may block.
   *
   * @throws UnknownHostException if the name does not resolve
   */
  List<HostPort> targets() throws UnknownHostException;

  /** Returns a resolver of all addresses of a host name, such as the name of a headless Service. */
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
