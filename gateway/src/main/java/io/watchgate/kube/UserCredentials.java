package io.watchgate.kube;

import java.nio.file.Path;

/** As whom requests are made, beside a client certificate. */
sealed interface UserCredentials {

  /** As nobody, or as whom the client certificate names. */
  record Anonymous() implements UserCredentials {}

  /** With a fixed bearer token. */
  record Token(String token) implements UserCredentials {
    @Override
    public String toString() {
      return "Token[...]";
    }
  }

  /** With a bearer token that others renew in a file. */
  record TokenFile(Path file) implements UserCredentials {}

  /** With a user's name and password, which some proxies before an apiserver still take. */
  record Password(String user, String password) implements UserCredentials {
    @Override
    public String toString() {
      return "Password[" + user + ", ...]";
    }
  }

  /** With what a program gives out. */
  record Plugin(ExecPlugin plugin) implements UserCredentials {}
}
