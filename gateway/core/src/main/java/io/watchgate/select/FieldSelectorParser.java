package io.watchgate.select;

import io.watchgate.labels.GoStrings;
import io.watchgate.select.FieldRequirement.Operator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Parser of field selectors with the order of checks of {@code fields.ParseSelector} and its label
 * conversion: the parts are sorted first, then all are parsed, then all labels are looked up. So it
 * finds the same one of several errors. For one use.
 */
final class FieldSelectorParser {

  /** Part between commas. */
  private record Part(String text, int at) {}

  private record Parsed(FieldRequirement requirement, int at) {}

  private final SelectorText source;
  private final SelectableFields fields;

  FieldSelectorParser(SelectorText source, SelectableFields fields) {
    this.source = source;
    this.fields = fields;
  }

  List<FieldRequirement> parse() throws SelectionException {
    List<Parsed> parsed = new ArrayList<>();
    for (Part part : parts()) {
      if (!part.text.isEmpty()) {
        parsed.add(parse(part));
      }
    }
    List<FieldRequirement> requirements = new ArrayList<>();
    for (Parsed one : parsed) {
      String label = one.requirement.field();
      if (label.isEmpty() && one.requirement.value().isEmpty()) {
        continue; // the apiserver ignores "=" like an empty part
      }
      String name = fields.resolve(label);
      if (name == null) {
        throw source.notSelectable(one.at, fields.unknownFieldError(label));
      }
      requirements.add(
          new FieldRequirement(name, one.requirement.operator(), one.requirement.value()));
    }
    return requirements;
  }

  private List<Part> parts() throws SelectionException {
    String text = source.text();
    List<Part> parts = new ArrayList<>();
    int from = 0;
    int filled = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || text.charAt(i) == ',') {
        parts.add(new Part(text.substring(from, i), from));
        filled += i > from ? 1 : 0;
        source.limit(from, "requirements", filled, SelectionLimits.MAX_REQUIREMENTS);
        from = i + 1;
      } else if (text.charAt(i) == '\\' && i + 1 < text.length()) {
        i++;
      }
    }
    parts.sort(Comparator.comparing(Part::text, GoStrings.ORDER));
    return parts;
  }

  private Parsed parse(Part part) throws SelectionException {
    String text = part.text;
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw source.invalid(
          part.at, "invalid selector: '%s'; can't understand '%s'".formatted(source.text(), text));
    }
    boolean not = equals > 0 && text.charAt(equals - 1) == '!';
    int valueFrom = !not && text.startsWith("=", equals + 1) ? equals + 2 : equals + 1;
    String label = text.substring(0, not ? equals - 1 : equals);
    return new Parsed(
        new FieldRequirement(
            label, not ? Operator.NOT_EQUAL : Operator.EQUAL, value(part, valueFrom)),
        part.at);
  }

  private String value(Part part, int from) throws SelectionException {
    String text = part.text;
    StringBuilder value = new StringBuilder();
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '=') {
        // The apiserver prints the number of the character.
        throw source.invalid(
            part.at + i, "invalid field selector: unescaped character in value: " + (int) c);
      }
      if (c == '\\') {
        i++;
        String escaped = i == text.length() ? "" : Character.toString(text.codePointAt(i));
        if (!escaped.equals("\\") && !escaped.equals(",") && !escaped.equals("=")) {
          throw source.invalid(
              part.at + i - 1, "invalid field selector: invalid escape sequence: \\" + escaped);
        }
        c = escaped.charAt(0);
      }
      value.append(c);
    }
    return value.toString();
  }
}
