package io.watchgate.e2e.apiserver;

/** A file, in PEM, of those that a test apiserver trusts or signs with. */
public enum Credential {
  /** Has signed the server's certificate, and may sign those of clients. */
  AUTHORITY("ca.crt"),
  AUTHORITY_KEY("ca.key"),
  /** Signs the tokens of service accounts. */
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
