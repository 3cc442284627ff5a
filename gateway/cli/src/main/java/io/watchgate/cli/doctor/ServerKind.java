package io.watchgate.cli.doctor;

/** Kind of the server behind an address: its protocols, and the advice if a step to it fails. */
public enum ServerKind {
  /** A gateway's port of gRPC. */
  GATEWAY(
      "h2", // a server of gRPC closes connections without it
      "Check the name in --server, and the DNS of this machine.",
      "Check the port (gRPC has 7443 by default), that the gateway runs, and firewalls or network"
          + " policies on the way.",
      "Leave --tls and --tls-ca out if the gateway serves plaintext; gRPC has port 7443 by default,"
          + " and 9443 has no TLS.",
      "Check that the port is that of gRPC, and proxies on the way."),
  /** An apiserver. */
  APISERVER(
      "h2 http/1.1",
      "Check 'server' of the kubeconfig's cluster, and the DNS of this machine.",
      "Check 'server' of the kubeconfig's cluster, that the apiserver runs, and firewalls or"
          + " network policies on the way.",
      "Check scheme and port of 'server' of the kubeconfig's cluster.",
      "Check the port of 'server' of the kubeconfig's cluster, and proxies on the way.");

  private final String protocols;
  private final String nameAdvice;
  private final String connectionAdvice;
  private final String plaintextAdvice;
  private final String handshakeAdvice;

  ServerKind(
      String protocols,
      String nameAdvice,
      String connectionAdvice,
      String plaintextAdvice,
      String handshakeAdvice) {
    this.protocols = protocols;
    this.nameAdvice = nameAdvice;
    this.connectionAdvice = connectionAdvice;
    this.plaintextAdvice = plaintextAdvice;
    this.handshakeAdvice = handshakeAdvice;
  }

  /** Returns the protocols for ALPN. */
  String[] protocols() {
    return protocols.split(" ");
  }

  String nameAdvice() {
    return nameAdvice;
  }

  String connectionAdvice() {
    return connectionAdvice;
  }

  String plaintextAdvice() {
    return plaintextAdvice;
  }

  String handshakeAdvice() {
    return handshakeAdvice;
  }
}
