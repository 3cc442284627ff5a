package io.watchgate.auth;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Authenticated caller and its credentials.
 *
 * @param credentials the credentials by which the caller is authenticated again
 * @param expiry expiry of the credentials; null if they have none, or if it is unknown
 */
public record Caller(UserInfo identity, Credentials credentials, @Nullable Instant expiry) {

  /** Caller of every call where calls are not authenticated. */
  public static final Caller UNAUTHENTICATED =
      new Caller(UserInfo.ANONYMOUS, new Credentials.None(), null);

  /** Returns whether the call had no credentials: then the name does not identify the caller. */
  public boolean isAnonymous() {
    return identity.equals(UserInfo.ANONYMOUS);
  }

  /** Returns the caller as one that cannot be authenticated again. */
  public Caller withoutCredentials() {
    return credentials instanceof Credentials.None
        ? this
        : new Caller(identity, new Credentials.None(), expiry);
  }

  /** Returns the name for accounting and for the log. */
  public String user() {
    return identity.user();
  }
}
