package io.watchgate.kube;

import java.nio.file.Path;

/** Credentials of a kubeconfig's user, besides a client certificate. */
sealed interface UserCredentials {

  /** No credentials besides the client certificate, if any. */
  record Anonymous() implements UserCredentials {}

  /** A fixed bearer token. */
  record Token(String token) implements UserCredentials {
    @Override
    public String toString() {
      return "Token[...]";
    }
  }

  /** A bearer token in a file that is rotated by another process. */
  record TokenFile(Path file) implements UserCredentials {}

  /** A user's name and password, which some proxies in front of an apiserver still accept. */
  record Password(String user, String password) implements UserCredentials {
    @Override
    public String toString() {
      return "Password[" + user + ", ...]";
    }
  }

  /** The credentials that a program prints. */
  record Plugin(ExecPlugin plugin) implements UserCredentials {}
}
