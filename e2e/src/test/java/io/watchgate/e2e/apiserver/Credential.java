package io.watchgate.e2e.apiserver;

/** PEM file that a test apiserver trusts or signs with. */
public enum Credential {
  /** Certificate authority of the server's certificate and of client certificates. */
  AUTHORITY("ca.crt"),
  AUTHORITY_KEY("ca.key"),
  /** Key that signs the tokens of service accounts. */
  ACCOUNTS_KEY("service-accounts.key"),
  SERVER("server.crt"),
  SERVER_KEY("server.key");

  private final String file;

  Credential(String file) {
    this.file = file;
  }

  String file() {
    return file;
  }
}
