package io.watchgate.auth;

/**
 * Text of a denial. The denied caller may read it, so it contains nothing beyond the caller's own
 * name and request.
 */
final class AccessErrors {
  private AccessErrors() {}

  /** Returns the text, without a full stop. */
  static String text(UserInfo identity, AccessAttributes access) {
    return "the user \"" + identity.user() + "\" may not " + access.text();
  }
}
