package io.watchgate.auth;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Who calls, and how that is known.
 *
 * @param credentials by which he is asked for again
 * @param expiry of the credentials; null if they have none, or nobody knows
 */
public record Caller(UserInfo identity, Credentials credentials, @Nullable Instant expiry) {

  /** Everybody, where nobody is asked who he is. */
  public static final Caller ANYBODY = new Caller(UserInfo.ANONYMOUS, new Credentials.None(), null);

  /** Whether nothing was shown: then the name says nothing of who calls. */
  public boolean isAnonymous() {
    return identity.equals(UserInfo.ANONYMOUS);
  }

  /** By this he is accounted for, and told of in the log. */
  public String user() {
    return identity.user();
  }
}
