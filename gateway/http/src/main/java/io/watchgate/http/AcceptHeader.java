package io.watchgate.http;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Accept header of a request, with the preferred media type first. */
record AcceptHeader(List<Clause> clauses) {
  private static final int MAX_INSERTION_SORT = 12;

  AcceptHeader {
    clauses = List.copyOf(clauses);
  }

  /** Media type with its parameters, except {@code q}. */
  record Clause(String mediaType, Map<String, String> parameters, double quality) {
    Clause {
      parameters = Map.copyOf(parameters);
    }

    boolean acceptsJson() {
      return switch (mediaType) {
        case "application/json", "application/*", "*/*", "*" -> true;
        default -> false;
      };
    }

    /** Returns whether an apiserver puts this clause before another. Not transitive. */
    private boolean precedes(Clause other) {
      return quality > other.quality
          || (!mediaType.startsWith("*") && other.mediaType.startsWith("*"))
          || (!mediaType.endsWith("*") && other.mediaType.endsWith("*"));
    }

    /** Returns the value of a parameter, or an empty text if there is none. */
    String parameter(String name) {
      return parameters.getOrDefault(name, "");
    }
  }

  /** Parses the header. Without a header all media types are accepted. */
  static AcceptHeader parse(@Nullable String header) {
    String text = header == null || header.isBlank() ? "*/*" : header;
    List<Clause> clauses = new ArrayList<>();
    for (String clause : text.split(",", -1)) {
      if (!clause.isBlank()) {
        clauses.add(clause(clause));
      }
    }
    sort(clauses);
    return new AcceptHeader(clauses);
  }

  /**
   * Sorts as Go sorts so few elements, because the result depends on the algorithm: of two clauses
   * each may precede the other.
   */
  private static void sort(List<Clause> clauses) {
    if (clauses.size() > MAX_INSERTION_SORT) {
      clauses.sort(Comparator.comparingDouble(Clause::quality).reversed());
      return;
    }
    for (int i = 1; i < clauses.size(); i++) {
      for (int j = i; j > 0 && clauses.get(j).precedes(clauses.get(j - 1)); j--) {
        Collections.swap(clauses, j, j - 1);
      }
    }
  }

  private static Clause clause(String text) {
    String[] parts = text.split(";", -1);
    Map<String, String> parameters = new HashMap<>();
    double quality = 1;
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      String name = (equals < 0 ? parts[i] : parts[i].substring(0, equals)).strip();
      String value = equals < 0 ? "" : parts[i].substring(equals + 1).strip();
      if (name.equals("q")) {
        quality = quality(value);
      } else {
        parameters.putIfAbsent(name, value);
      }
    }
    return new Clause(parts[0].strip().toLowerCase(Locale.ROOT), parameters, quality);
  }

  private static double quality(String text) {
    return text.matches("[01](\\.[0-9]{0,3})?") ? Double.parseDouble(text) : 1;
  }
}
