package io.watchgate.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Accept header of a request, with the preferred media type first. */
record AcceptHeader(List<Clause> clauses) {

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

    /**
     * Returns the rank among clauses of one quality: a type precedes the wildcards that cover it.
     */
    int specificity() {
      return mediaType.startsWith("*") ? 0 : mediaType.endsWith("/*") ? 1 : 2;
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
    clauses.sort( // stable
        Comparator.comparingDouble(Clause::quality)
            .thenComparingInt(Clause::specificity)
            .reversed());
    return new AcceptHeader(clauses);
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
