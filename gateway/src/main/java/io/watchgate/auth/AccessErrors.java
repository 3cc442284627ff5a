package io.watchgate.auth;

/**
 * How a no is put into words: the one who is refused may read it, and nothing else stands in it.
 */
final class AccessErrors {
  private AccessErrors() {}

  /** Without a full stop. */
  static String text(UserInfo identity, AccessAttributes access) {
    return "the user \"" + identity.user() + "\" may not " + access.text();
  }
}
