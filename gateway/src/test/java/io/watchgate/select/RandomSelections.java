package io.watchgate.select;

import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Source of random selections of one type and of objects, with so few different texts that they
 * often match.
 */
public final class RandomSelections {
  private static final Recorded RECORDED = new Recorded();
  private static final List<String> NAMES = List.of("a", "a-b", "b", "c", "ab");
  private static final List<String> KEYS = List.of("a", "b", "example.com/a", "example.com/ab");
  private static final List<String> VALUES = List.of("", "1", "2", "10", "x", "X", "x.y-z");
  private static final List<String> TEXTS =
      List.of("", "a", "true", "false", "0", "7", "a,b=c\\d", "\t\"/", "é", "\ud83d\ude00");
  private static final List<String> LITERALS = List.of("null", "true", "false", "0", "7");

  /** Labels that two states of an object are likely to share. */
  private static final List<Map<String, String>> LIKELY = List.of(Map.of(), Map.of("a", "1"));

  /** Paths of the fields whose name is no path. */
  private static final Map<String, List<String>> PATHS =
      Map.of(
          "source", List.of("source.component", "reportingComponent"), "status.podIPs", List.of());

  private final SelectableFields fields;
  private final Random random;
  private final RandomObject objects;

  /** Creates a source for a recorded type: pods, events, nodes. */
  public RandomSelections(String type, Random random) {
    this.fields = RECORDED.type(type);
    this.random = random;
    this.objects = new RandomObject(random);
  }

  /** Returns a random selection. */
  public CompiledSelection selection() {
    List<String> namespaces =
        fields.type().isNamespaced() && one(3) ? some(4, () -> pick(NAMES)) : List.of();
    String labels = String.join(",", some(random.nextInt(3), this::label));
    String wanted = String.join(",", some(random.nextInt(3), this::field));
    return selection(namespaces, labels, wanted);
  }

  /** Returns a selection with these selectors. */
  public CompiledSelection selection(String labels, String wanted) {
    return selection(List.of(), labels, wanted);
  }

  private CompiledSelection selection(List<String> namespaces, String labels, String wanted) {
    try {
      return CompiledSelection.of(fields, namespaces, labels, wanted);
    } catch (SelectionException e) {
      throw new IllegalStateException(namespaces + " " + labels + " " + wanted, e);
    }
  }

  private String label() {
    String key = pick(KEYS);
    return switch (random.nextInt(9)) {
      case 0, 1 -> key + "=" + pick(VALUES);
      case 2, 3 -> key + " in (" + String.join(",", some(4, () -> pick(VALUES))) + ")";
      case 4 -> key + "!=" + pick(VALUES);
      case 5 -> key + " notin (" + String.join(",", some(4, () -> pick(VALUES))) + ")";
      case 6 -> key + pick(List.of(">", "<")) + random.nextInt(11);
      case 7 -> "!" + key;
      default -> key;
    };
  }

  private String field() {
    String name = pick(fields.names());
    String value = pick(name.startsWith("metadata.") ? NAMES : TEXTS);
    String escaped = value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
    return name + (one(4) ? "!=" : "=") + escaped;
  }

  /** Returns a random state of the object with that key. */
  public KubeObject object(String namespace, String name) {
    Map<String, String> labels = one(3) ? LIKELY.get(random.nextInt(LIKELY.size())) : someLabels();
    Map<String, Map<String, String>> nested = new TreeMap<>();
    Map<String, String> members = new LinkedHashMap<>();
    for (String field : fields.names()) {
      for (String path : PATHS.getOrDefault(field, List.of(field))) {
        String[] parts = path.split("\\.", 2);
        if (path.startsWith("metadata.") || one(4)) {
          continue;
        }
        String value = one(3) ? pick(LITERALS) : objects.string(pick(TEXTS));
        if (parts.length == 1) {
          members.put(path, value);
        } else {
          nested.computeIfAbsent(parts[0], key -> new TreeMap<>()).put(parts[1], value);
        }
      }
    }
    nested.forEach((member, inner) -> members.put(member, objects.object(inner)));
    return objects.object(namespace, name, labels, members, fields.paths());
  }

  private Map<String, String> someLabels() {
    return some(4, () -> pick(KEYS)).stream()
        .distinct()
        .collect(Collectors.toMap(key -> key, key -> pick(VALUES)));
  }

  /** Returns a random object. */
  public KubeObject object() {
    return object(fields.type().isNamespaced() ? pick(NAMES) : "", pick(NAMES));
  }

  private boolean one(int of) {
    return random.nextInt(of) == 0;
  }

  private <E> E pick(List<E> from) {
    return from.get(random.nextInt(from.size()));
  }

  private <E> List<E> some(int most, Supplier<E> one) {
    return new ArrayList<>(
        IntStream.range(0, Math.max(1, random.nextInt(most + 1)))
            .mapToObj(i -> one.get())
            .toList());
  }
}
