package io.watchgate.auth;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A user as Kubernetes knows one. Immutable; everything in it is what the apiserver is asked with.
 *
 * @param user the name; never empty
 * @param uid empty if there is none
 * @param extra what an authenticator added, as it was given
 */
public record UserInfo(
    String user, String uid, List<String> groups, Map<String, List<String>> extra) {
  private static final String AUTHENTICATED = "system:authenticated";

  /** Who shows nothing, where that is let in. */
  static final UserInfo ANONYMOUS =
      new UserInfo("system:anonymous", "", List.of("system:unauthenticated"), Map.of());

  public UserInfo {
    if (user.isEmpty()) {
      throw new IllegalArgumentException("a user without a name");
    }
    groups = groups.stream().sorted().distinct().toList();
    extra =
        extra.entrySet().stream()
            .collect(toUnmodifiableMap(Map.Entry::getKey, each -> List.copyOf(each.getValue())));
  }

  /** One whom the gateway knows by itself, as the apiserver would name him. */
  static UserInfo of(String user, String uid, List<String> groups) {
    List<String> all = new ArrayList<>(groups);
    all.add(AUTHENTICATED);
    return new UserInfo(user, uid, all, Map.of());
  }
}
