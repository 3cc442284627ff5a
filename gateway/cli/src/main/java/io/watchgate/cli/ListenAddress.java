package io.watchgate.cli;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** {@code HOST:PORT} to listen on; an IPv6 address in brackets; port 0 for a free one. */
final class ListenAddress {
  private ListenAddress() {}

  /**
   * Parses the value of an option.
   *
   * @throws ParameterException if the value is no address
   */
  static InetSocketAddress parse(@Nullable CommandSpec command, String option, String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon).replaceAll("^\\[|]$", "");
    int port;
    try {
      port = Integer.parseInt(text.substring(colon + 1));
    } catch (NumberFormatException _) {
      port = -1;
    }
    if (colon < 0 || host.isEmpty() || port < 0 || port > 65535) {
      throw UsageError.of(
          command, option + " " + text + ": expected HOST:PORT, such as 127.0.0.1:7443");
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw UsageError.of(command, option + " " + text + ": the host " + host + " has no address");
    }
    return address;
  }

  /**
   * Refuses the address of an option if it cannot be listened on besides that of another option.
   *
   * @throws ParameterException if the port is the same, and the host as well or all hosts
   */
  static void requireDistinct(
      @Nullable CommandSpec command,
      String option,
      InetSocketAddress address,
      String otherOption,
      InetSocketAddress other) {
    boolean isSameHost =
        address.getAddress().equals(other.getAddress())
            || address.getAddress().isAnyLocalAddress()
            || other.getAddress().isAnyLocalAddress();
    if (isSameHost && address.getPort() != 0 && address.getPort() == other.getPort()) {
      throw UsageError.of(
          command,
          "%s %s and %s %s name the same address; give each a port of its own"
              .formatted(
                  option,
                  text(address, address.getPort()),
                  otherOption,
                  text(other, other.getPort())));
    }
  }

  /** Returns the host as given with the actual port, for a person. */
  static String text(InetSocketAddress address, int port) {
    String host = address.getHostString();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
