package io.watchgate;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Default of a limit in the code, and the ways in which a page may write it.
 *
 * @param name name of the field, which may tell the unit
 * @param value empty if only a running gateway has the value
 */
record LimitDefault(String name, Optional<Object> value) {
  /** Heap of which the upper bounds of parts are read: so large that all of them apply. */
  private static final long HEAP = 1L << 40;

  /** Words for a part of another limit, with which only a running gateway has a number. */
  private static final Pattern PART = Pattern.compile("of them");

  /** {@code 30 to 60 min}: the unit is that of both. */
  private static final Pattern RANGE = Pattern.compile("([\\d.]+) to ([\\d.]+) (\\w+)");

  private static final Map<Integer, String> PARTS =
      Map.of(
          2, "half",
          3, "a third",
          4, "a quarter",
          5, "a fifth",
          6, "a sixth",
          8, "an eighth",
          10, "a tenth",
          16, "a sixteenth",
          32, "a thirty-second");

  private static final Map<Integer, String> QUARTERS =
      Map.of(1, "a quarter", 2, "half", 3, "three quarters");

  static LimitDefault of(Class<?> owner, String name) {
    try {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      boolean isConstant = Modifier.isStatic(field.getModifiers());
      Object instance = isConstant ? null : defaults(owner);
      return new LimitDefault(
          name,
          isConstant || instance != null ? Optional.of(field.get(instance)) : Optional.empty());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no default of " + owner.getName() + "." + name, e);
    }
  }

  /** Returns the settings of a gateway that is given no options; null if there is no constant. */
  private static @Nullable Object defaults(Class<?> type) throws ReflectiveOperationException {
    for (Field field : type.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == type) {
        field.setAccessible(true);
        return field.get(null);
      }
    }
    for (Method method : type.getDeclaredMethods()) {
      if (Modifier.isStatic(method.getModifiers()) && method.getReturnType() == type) {
        method.setAccessible(true);
        if (method.getParameterCount() == 0) {
          return method.invoke(null);
        }
        if (List.of(method.getParameterTypes()).equals(List.of(long.class))) {
          return method.invoke(null, HEAP);
        }
      }
    }
    Class<?> enclosing = type.getEnclosingClass();
    Object outer = enclosing == null ? null : defaults(enclosing);
    if (outer != null) {
      for (Field field : enclosing.getDeclaredFields()) {
        if (field.getType() == type && !Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          return field.get(outer);
        }
      }
    }
    return null;
  }

  /** Returns whether a cell of a table has this value. */
  boolean isIn(String cell) {
    if (PART.matcher(cell).find()) {
      return true;
    }
    String withUnits = RANGE.matcher(cell).replaceAll("$1 $3 to $2 $3");
    List<?> values =
        switch (value.orElse(List.of())) {
          case List<?> several ->
              several.stream().filter(one -> !one.equals(Duration.ZERO)).toList();
          case Object one -> List.of(one);
        };
    return !values.isEmpty()
        && values.stream()
            .allMatch(one -> forms(one).stream().anyMatch(form -> contains(withUnits, form)));
  }

  private static boolean contains(String cell, String form) {
    return Pattern.compile("(?<![\\d.,])" + Pattern.quote(form) + "(?!\\d)").matcher(cell).find();
  }

  private List<String> forms(Object value) {
    return switch (value) {
      case Duration duration -> forms(duration);
      case Number number when name.toUpperCase(Locale.ROOT).endsWith("NANOS") ->
          forms(Duration.ofNanos(number.longValue()));
      case Number number when name.toUpperCase(Locale.ROOT).endsWith("MILLIS") ->
          forms(Duration.ofMillis(number.longValue()));
      case Number number when name.toUpperCase(Locale.ROOT).endsWith("SECONDS") ->
          forms(Duration.ofSeconds(number.longValue()));
      case Number number when name.toUpperCase(Locale.ROOT).endsWith("MINUTES") ->
          forms(Duration.ofMinutes(number.longValue()));
      case Double number when number >= 1 -> forms(Math.round(number));
      case Double part -> partForms(Math.toIntExact(Math.round(1 / part)), part);
      case Integer quarters when name.contains("QUARTERS") -> List.of(QUARTERS.get(quarters));
      case Number number when name.endsWith("DIVISOR") ->
          partForms(number.intValue(), 1.0 / number.intValue());
      case Number number -> forms(number.longValue());
      case Object other -> List.of(other.toString());
    };
  }

  private static List<String> forms(Duration duration) {
    List<String> forms = new ArrayList<>();
    add(forms, duration.toNanos(), Duration.ofDays(1).toNanos(), "days");
    add(forms, duration.toNanos(), Duration.ofHours(1).toNanos(), "h");
    add(forms, duration.toNanos(), Duration.ofMinutes(1).toNanos(), "min");
    add(forms, duration.toNanos(), Duration.ofSeconds(1).toNanos(), "s");
    add(forms, duration.toNanos(), Duration.ofMillis(1).toNanos(), "ms");
    return forms;
  }

  private static List<String> partForms(int divisor, double part) {
    List<String> forms = new ArrayList<>(List.of(Math.round(part * 100) + " %"));
    Optional.ofNullable(PARTS.get(divisor)).ifPresent(forms::add);
    return forms;
  }

  private static List<String> forms(long number) {
    List<String> forms = new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d", number)));
    add(forms, number, 1L << 10, "KiB");
    add(forms, number, 1L << 20, "MiB");
    add(forms, number, 1L << 30, "GiB");
    if (number >= HEAP / 100) { // a part of the heap without a bound of its own
      forms.addAll(
          partForms(Math.toIntExact(Math.round((double) HEAP / number)), (double) number / HEAP));
    }
    return forms;
  }

  private static void add(List<String> forms, long value, long unit, String name) {
    if (value % unit == 0) {
      forms.add(String.format(Locale.ROOT, "%,d %s", value / unit, name));
    } else if (value * 4 % unit == 0) {
      String number = String.format(Locale.ROOT, "%.2f", (double) value / unit);
      forms.add(number.replaceFirst("0$", "") + " " + name);
    }
  }
}
