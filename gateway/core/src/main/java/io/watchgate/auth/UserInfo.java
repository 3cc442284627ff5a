package io.watchgate.auth;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Kubernetes user. Immutable; the apiserver is asked about exactly these attributes.
 *
 * @param user the name; never empty
 * @param uid empty if there is none
 * @param extra attributes that an authenticator added, unchanged
 */
public record UserInfo(
    String user, String uid, List<String> groups, Map<String, List<String>> extra) {
  private static final String AUTHENTICATED = "system:authenticated";

  /** User of calls without credentials, where those are accepted. */
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

  /**
   * Returns a user that the gateway authenticates itself, with the groups that the apiserver would
   * add.
   */
  static UserInfo authenticated(String user, String uid, List<String> groups) {
    List<String> all = new ArrayList<>(groups);
    all.add(AUTHENTICATED);
    return new UserInfo(user, uid, all, Map.of());
  }
}
