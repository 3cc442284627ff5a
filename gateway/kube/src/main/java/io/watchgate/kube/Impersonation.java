package io.watchgate.kube;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import okhttp3.Headers;

/**
 * Impersonated user of requests ({@code as} of a kubeconfig), for a client with the right to
 * impersonate.
 *
 * @param user empty: no impersonation
 * @param uid may be empty
 */
record Impersonation(
    String user, String uid, List<String> groups, Map<String, List<String>> extra) {
  static final Impersonation NONE = new Impersonation("", "", List.of(), Map.of());

  /**
   * Characters besides letters and digits that a header's name may contain: those of a token (RFC
   * 9110), without the percent sign.
   */
  private static final String LEGAL_IN_NAME = "!#$&'*+-.^_`|~";

  static Impersonation of(KubeconfigSection user) throws ConfigException {
    String name = user.text("as");
    Map<String, List<String>> extra = new LinkedHashMap<>();
    if (user.has("as-user-extra")) {
      KubeconfigSection members =
          user.section("as-user-extra", user.location() + ": as-user-extra");
      for (Object key : members.members().keySet()) {
        if (!(key instanceof String text)) {
          throw members.error("the key " + key + " must be text; put it in quotes");
        }
        extra.put(text, members.texts(text));
      }
    }
    Impersonation all =
        new Impersonation(name, user.text("as-uid"), user.texts("as-groups"), extra);
    if (name.isEmpty() && !all.equals(NONE)) {
      throw user.error("has as-uid, as-groups or as-user-extra without as, the user's name");
    }
    for (String value : all.values()) {
      if (!value.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
        throw user.error("as, as-uid, as-groups and as-user-extra must be printable ASCII");
      }
    }
    return all;
  }

  private List<String> values() {
    List<String> values = new ArrayList<>(groups);
    values.add(user);
    values.add(uid);
    extra.values().forEach(values::addAll);
    return values;
  }

  void addTo(Headers.Builder headers) {
    if (user.isEmpty()) {
      return;
    }
    headers.add("Impersonate-User", user);
    if (!uid.isEmpty()) {
      headers.add("Impersonate-Uid", uid);
    }
    for (String group : groups) {
      headers.add("Impersonate-Group", group);
    }
    extra.forEach(
        (key, values) ->
            values.forEach(value -> headers.add("Impersonate-Extra-" + escaped(key), value)));
  }

  /**
   * Returns the key with percent-encoding for characters that a header's name may not contain; the
   * apiserver decodes it.
   */
  private static String escaped(String key) {
    StringBuilder name = new StringBuilder();
    for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean legal = c < 0x80 && (Character.isLetterOrDigit(c) || LEGAL_IN_NAME.indexOf(c) >= 0);
      name.append(legal ? String.valueOf(c) : "%%%02X".formatted((int) c));
    }
    return name.toString();
  }
}
