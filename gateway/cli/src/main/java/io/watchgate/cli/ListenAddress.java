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

  /** Returns the host as given with the actual port, for a person. */
  static String text(InetSocketAddress address, int port) {
    String host = address.getHostString();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
