package io.watchgate.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Comparison of two objects as JSON values: white space, the order of members, escapes and the form
 * of numbers are ignored. Needed only if two texts of the same state of an object differ.
 */
final class JsonValues {
  /** Deeper objects count as different: no Kubernetes type nests as deep. */
  private static final int MAX_DEPTH = 500;

  /**
   * Longer numbers are compared as text: the cost of their value grows with the square of their
   * length.
   */
  private static final int MAX_DIGITS = 1_000;

  private final JsonIndex left;
  private final JsonIndex right;

  private JsonValues(JsonIndex left, JsonIndex right) {
    this.left = left;
    this.right = right;
  }

  /**
   * Returns whether two Kubernetes objects are the same value. {@code kind} and {@code apiVersion}
   * are ignored if one of the two objects lacks them, as the items of some lists do.
   */
  static boolean sameObject(byte[] object, byte[] other) {
    try {
      JsonValues values =
          new JsonValues(JsonIndex.of(object, MAX_DEPTH), JsonIndex.of(other, MAX_DEPTH));
      return values.sameMembers(
          withoutType(values.left, values.right), withoutType(values.right, values.left));
    } catch (JsonException e) {
      return false;
    }
  }

  /** Returns the members of the document except a kind and apiVersion that the other lacks. */
  private static List<Integer> withoutType(JsonIndex index, JsonIndex other) throws JsonException {
    List<String> names = new ArrayList<>();
    for (int member : other.children(0)) {
      names.add(other.name(member));
    }
    List<Integer> kept = new ArrayList<>();
    for (int member : index.children(0)) {
      String name = index.name(member);
      if (!(name.equals("kind") || name.equals("apiVersion")) || names.contains(name)) {
        kept.add(member);
      }
    }
    return kept;
  }

  private static List<Integer> inside(JsonIndex index, int value) {
    List<Integer> inside = new ArrayList<>();
    for (int member : index.children(value)) {
      inside.add(member);
    }
    return inside;
  }

  private boolean same(int value, int other) throws JsonException {
    if (left.isSameText(value, right, other)) {
      return true;
    }
    if (left.isObject(value) && right.isObject(other)) {
      return sameMembers(inside(left, value), inside(right, other));
    }
    if (left.isArray(value) && right.isArray(other)) {
      return sameElements(left.children(value), right.children(other));
    }
    if (left.isString(value) && right.isString(other)) {
      return left.text(value).equals(right.text(other));
    }
    return left.isNumber(value)
        && right.isNumber(other)
        && sameNumber(left.literal(value), right.literal(other));
  }

  private boolean sameMembers(List<Integer> members, List<Integer> others) throws JsonException {
    if (members.size() != others.size()) {
      return false;
    }
    Map<String, Integer> byName = new HashMap<>();
    for (int other : others) {
      byName.put(right.name(other), other);
    }
    if (byName.size() != others.size()) {
      return false; // a duplicate name: readers differ in which of the two they take
    }
    for (int member : members) {
      Integer other = byName.remove(left.name(member));
      if (other == null || !same(member, other)) {
        return false;
      }
    }
    return true;
  }

  private boolean sameElements(int[] elements, int[] others) throws JsonException {
    if (elements.length != others.length) {
      return false;
    }
    for (int i = 0; i < elements.length; i++) {
      if (!same(elements[i], others[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameNumber(String number, String other) {
    if (number.length() > MAX_DIGITS || other.length() > MAX_DIGITS) {
      return false;
    }
    try {
      return new BigDecimal(number).compareTo(new BigDecimal(other)) == 0;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
