package io.watchgate.cli;

import io.grpc.Status;
import io.watchgate.client.WatchError;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Message of the command line for a transport error: the cause, and options that may help. Texts of
 * gRPC, Netty and Java are recognized by parts that identify one cause only.
 */
record TransportErrorText(String cause, String advice) {
  private static final String DEFAULT_ADVICE =
      "Start one with './watchgate serve' or name another with --server; --tls-ca and --tls are for"
          + " one that serves TLS, and only for that. Then run this again.";

  private static final String PORTS =
      "gRPC is on port 7443 by default; --http-listen, 9443, has probes and metrics only, and an"
          + " apiserver and --kube-listen speak no gRPC. Name the gateway's port with --server.";

  private static final String OTHER_ANSWER =
      "the answer is HTTP, not gRPC: an apiserver's, or a proxy's that does not pass gRPC on";

  private static final String CERTIFICATE =
      "--tls-client-cert FILE and --tls-client-key FILE show a certificate that is signed by a"
          + " CA of the gateway's --tls-client-ca.";

  private static final String CLOSED =
      "the connection was closed without an answer, as by a gateway that serves TLS";
  private static final String SERVES_TLS =
      "Connect with --tls-ca FILE (its CA), or with --tls if Java trusts that CA.";

  private static final String UNKNOWN_HOST = "the name of the host cannot be looked up";
  private static final String HOST_ADVICE =
      "Check the name in --server, and the DNS of this machine. Then run this again.";

  private static final List<Known> ALL =
      List.of(
          // The first bytes received: "HTTP/".
          new Known(
              "Hex dump for first 5 bytes: 485454502f",
              "the server speaks HTTP/1, not gRPC",
              PORTS),
          new Known("Unable to resolve host", UNKNOWN_HOST, HOST_ADVICE),
          new Known("name cannot be looked up", UNKNOWN_HOST, HOST_ADVICE),
          // A TLS alert, of any version.
          new Known("Hex dump for first 5 bytes: 1503", "the server speaks TLS", SERVES_TLS),
          new Known(
              "First received frame was not SETTINGS", "the server does not speak gRPC", PORTS),
          new Known("invalid content-type", OTHER_ANSWER, PORTS),
          new Known("missing content-type", OTHER_ANSWER, PORTS),
          new Known(
              "closed while performing TLS negotiation",
              "it closed the connection at the beginning of TLS, as a server of plain HTTP does",
              "Leave --tls and --tls-ca out if it serves plaintext. " + PORTS),
          new Known("Network closed for unknown reason", CLOSED, SERVES_TLS),
          // The same cause, if the gateway has not read all sent bytes yet.
          new Known("Connection reset", CLOSED, SERVES_TLS),
          new Known(
              "not an SSL/TLS record",
              "it serves plaintext, no TLS",
              "Leave --tls and --tls-ca out, or name another with --server."),
          new Known(
              "handshake timed out",
              "it does not speak TLS, or not in time",
              "Leave --tls and --tls-ca out if it serves plaintext. " + PORTS),
          new Known(
              "No subject alternative",
              "its certificate is for other names",
              "--tls-server-name NAME chooses one of them."),
          new Known(
              "No name matching",
              "its certificate is for another name",
              "--tls-server-name NAME chooses it."),
          new Known(
              "validity check failed",
              "its certificate, or its CA's, has expired or is not valid yet",
              "Have it renewed; a wrong clock of this machine has the same effect."),
          new Known(
              "PKIX path",
              "its certificate is signed by no CA that is trusted here",
              "--tls-ca FILE names the certificate of its CA, PEM. Another server may answer"
                  + " there, such as an apiserver: the gateway's gRPC port is 7443 by default."),
          new Known(
              "ALERT_CERTIFICATE_REQUIRED",
              "it wants a client certificate, and got none that it accepts",
              CERTIFICATE),
          new Known("ALERT_CERTIFICATE_EXPIRED", "the client certificate has expired", CERTIFICATE),
          new Known("ALERT_UNKNOWN_CA", "it does not accept the client certificate", CERTIFICATE),
          new Known(
              "ALERT_BAD_CERTIFICATE", "it does not accept the client certificate", CERTIFICATE),
          new Known(
              "ALERT_CERTIFICATE_UNKNOWN",
              "it does not accept the client certificate",
              CERTIFICATE),
          new Known(
              "ALERT_INTERNAL_ERROR",
              "it ended the TLS handshake with an internal error, as an older gateway does for a"
                  + " client certificate that it does not accept",
              CERTIFICATE + " The other side's log may say more."));

  /** Names of the server's own certificate, which Netty adds to an error about the host name. */
  private static final Pattern NAMES =
      Pattern.compile(
          "(?:No subject alternative|No name matching).* 1\\. subjectAlternativeNames=\\[([^]]+)]");

  private static final Pattern TYPE_OF_NAME = Pattern.compile("\\b(?:DNS|IP):");

  /** Name and slash before an address: the JDK's text of a socket address. */
  private static final Pattern BEFORE_ADDRESS = Pattern.compile("[^\\s/]*/(?=[0-9\\[])");

  private record Known(String part, String cause, String advice) {}

  /** Returns the message for an error that does not come from a gateway. */
  static TransportErrorText of(WatchError error) {
    Matcher names = NAMES.matcher(error.message());
    if (names.find()) {
      return new TransportErrorText(
          "its certificate is for " + TYPE_OF_NAME.matcher(names.group(1)).replaceAll(""),
          "--tls-server-name NAME chooses one of them.");
    }
    return known(error)
        .map(known -> new TransportErrorText(known.cause, known.advice))
        .orElseGet(
            () ->
                new TransportErrorText(
                    BEFORE_ADDRESS.matcher(ErrorText.plain(error)).replaceAll(""), DEFAULT_ADVICE));
  }

  /**
   * Returns whether the other side closed the connection without a message. The cause may be TLS
   * only if no gateway has answered there.
   */
  static boolean isClosedConnection(WatchError error) {
    return !error.isFromGateway()
        && known(error).filter(known -> known.cause.equals(CLOSED)).isPresent();
  }

  /**
   * Returns whether the other side answered over HTTP, with no temporary error: no gateway will
   * answer there. A proxy in front of gateways that start has temporary errors.
   */
  static boolean isPermanentHttpAnswer(WatchError error) {
    return error.code() != Status.Code.UNAVAILABLE
        && known(error).filter(known -> known.cause.equals(OTHER_ANSWER)).isPresent();
  }

  private static Optional<Known> known(WatchError error) {
    return ALL.stream().filter(known -> error.message().contains(known.part)).findFirst();
  }
}
