package io.watchgate.cli;

import io.watchgate.proto.v1.ObjectView;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Picocli converter of {@code --view}. */
final class ObjectViewConverter implements ITypeConverter<ObjectView> {
  private static final Map<String, ObjectView> VIEWS = views();

  private static Map<String, ObjectView> views() {
    Map<String, ObjectView> views = new TreeMap<>();
    Arrays.stream(ObjectView.values())
        .filter(view -> view != ObjectView.UNRECOGNIZED)
        .filter(view -> view != ObjectView.OBJECT_VIEW_UNSPECIFIED)
        .forEach(view -> views.put(word(view), view));
    return views;
  }

  static String word(ObjectView view) {
    return view.name().replace("OBJECT_VIEW_", "").replace('_', '-').toLowerCase(Locale.ROOT);
  }

  /** Candidates for completion. */
  static final class Words implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return VIEWS.keySet().iterator();
    }
  }

  @Override
  public ObjectView convert(String text) {
    ObjectView view = VIEWS.get(text.toLowerCase(Locale.ROOT));
    if (view == null) {
      throw new TypeConversionException(
          "'" + text + "' is none of " + String.join(", ", VIEWS.keySet()));
    }
    return view;
  }
}
