package io.watchgate.labels;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Syntax rules of label keys and values, with the apiserver's error texts: {@code IsLabelKey},
 * {@code IsLabelValue}, {@code IsDNS1123Label} of {@code
 * k8s.io/apimachinery/pkg/api/validate/content}. All sizes are in bytes of UTF-8.
 */
public final class LabelSyntax {
  private static final int MAX_NAME = 63;
  private static final int MAX_PREFIX = 253;

  private static final String NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final String DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

  private static final String CHARACTERS =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
          + " alphanumeric character";
  private static final String NAME_WRONG =
      CHARACTERS
          + " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '"
          + NAME
          + "')";
  private static final String KEY_WRONG =
      "a valid label key "
          + NAME_WRONG
          + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
  private static final String VALUE_WRONG =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
          + " 'my_value',  or '12345', regex used for validation is '("
          + NAME
          + ")?')";
  private static final String SUBDOMAIN_WRONG =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex"
          + " used for validation is '"
          + DNS_LABEL
          + "(\\."
          + DNS_LABEL
          + ")*')";
  private static final String DNS_LABEL_WRONG =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and"
          + " must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc',"
          + " regex used for validation is '"
          + DNS_LABEL
          + "')";

  private LabelSyntax() {}

  /** Returns the error of a label key; empty if it is valid. */
  public static String keyError(String key) {
    List<String> wrong = new ArrayList<>();
    String[] parts = key.split("/", -1);
    if (parts.length > 2) {
      return KEY_WRONG;
    }
    if (parts.length == 2) {
      String prefix = parts[0];
      if (prefix.isEmpty()) {
        wrong.add("prefix part must be non-empty");
      } else {
        if (bytes(prefix) > MAX_PREFIX) {
          wrong.add("prefix part " + tooLong(MAX_PREFIX));
        }
        if (!subdomain(prefix)) {
          wrong.add("prefix part " + SUBDOMAIN_WRONG);
        }
      }
    }
    String name = parts[parts.length - 1];
    if (name.isEmpty()) {
      wrong.add("name part must be non-empty");
    } else if (bytes(name) > MAX_NAME) {
      wrong.add("name part " + tooLong(MAX_NAME));
    }
    if (!name(name)) {
      wrong.add("name part " + NAME_WRONG);
    }
    return String.join("; ", wrong);
  }

  /** Returns the error of a label value; empty if it is valid. */
  public static String valueError(String value) {
    List<String> wrong = new ArrayList<>();
    if (bytes(value) > MAX_NAME) {
      wrong.add(tooLong(MAX_NAME));
    }
    if (!value.isEmpty() && !name(value)) {
      wrong.add(VALUE_WRONG);
    }
    return String.join("; ", wrong);
  }

  /** Returns the error of a namespace name; empty if it is valid. */
  public static String namespaceError(String namespace) {
    if (bytes(namespace) > MAX_NAME) {
      return tooLong(MAX_NAME);
    }
    return dnsLabel(namespace) ? "" : DNS_LABEL_WRONG;
  }

  /**
   * Returns the error of an object name that may contain dots, as most types allow; empty if it is
   * valid.
   */
  public static String nameError(String name) {
    if (bytes(name) > MAX_PREFIX) {
      return tooLong(MAX_PREFIX);
    }
    return subdomain(name) ? "" : SUBDOMAIN_WRONG;
  }

  private static String tooLong(int most) {
    return "must be no more than " + most + " bytes";
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static boolean subdomain(String text) {
    for (String label : text.split("\\.", -1)) {
      if (!dnsLabel(label)) {
        return false;
      }
    }
    return true;
  }

  private static boolean dnsLabel(String text) {
    return text.chars().allMatch(c -> lowerOrDigit(c) || c == '-')
        && !text.isEmpty()
        && lowerOrDigit(text.charAt(0))
        && lowerOrDigit(text.charAt(text.length() - 1));
  }

  private static boolean name(String text) {
    return text.chars().allMatch(c -> alphanumeric(c) || c == '-' || c == '_' || c == '.')
        && !text.isEmpty()
        && alphanumeric(text.charAt(0))
        && alphanumeric(text.charAt(text.length() - 1));
  }

  private static boolean lowerOrDigit(int c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  private static boolean alphanumeric(int c) {
    return lowerOrDigit(c) || (c >= 'A' && c <= 'Z');
  }
}
