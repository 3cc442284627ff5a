package io.watchgate.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code HOST:PORT}; an IPv6 address in brackets. */
record ServerAddress(String host, int port) {

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Picocli converter. */
  static final class Converter implements ITypeConverter<ServerAddress> {
    @Override
    public ServerAddress convert(String text) {
      int colon = text.lastIndexOf(':');
      if (text.contains("://")) {
        throw new TypeConversionException(
            "'" + text + "' is a URL; expected HOST:PORT, such as 127.0.0.1:7443");
      }
      if (colon < 1) {
        throw new TypeConversionException(
            "'" + text + "' is not HOST:PORT, such as 127.0.0.1:7443");
      }
      String host = text.substring(0, colon);
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      } else if (host.contains(":")) {
        throw new TypeConversionException(
            "'" + text + "': an IPv6 address is written in brackets, such as [::1]:7443");
      }
      return new ServerAddress(host, port(text, text.substring(colon + 1)));
    }

    private static int port(String text, String digits) {
      if (digits.matches("[0-9]{1,5}")) {
        int port = Integer.parseInt(digits);
        if (port >= 1 && port <= 65_535) {
          return port;
        }
      }
      throw new TypeConversionException(
          "'" + text + "': the port '" + digits + "' is not a number from 1 to 65535");
    }
  }
}
