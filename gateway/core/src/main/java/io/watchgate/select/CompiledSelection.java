package io.watchgate.select;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.KubeObject;
import io.watchgate.labels.GoStrings;
import io.watchgate.labels.LabelSyntax;
import io.watchgate.select.SelectionException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Selection of objects of one type by namespaces, a label selector and a field selector, all of
 * which must match. Immutable; equal if type and {@link #canonical} are equal.
 *
 * <p>Thousands of instances are kept, one for each feed. So an instance keeps no text that can be
 * computed on demand.
 */
public final class CompiledSelection {
  private static final String NAMESPACES = "selection.namespaces";
  private static final byte[][] ALL_NAMESPACES = {};

  private final ApiResource type;
  private final List<String> namespaces;
  private final LabelSelector labels;
  private final FieldSelector fields;
  private final byte[][] namespaceBytes;

  private CompiledSelection(
      ApiResource type, List<String> namespaces, LabelSelector labels, FieldSelector fields) {
    this.type = type;
    this.namespaces = namespaces;
    this.labels = labels;
    this.fields = fields;
    this.namespaceBytes =
        namespaces.stream()
            .map(namespace -> namespace.getBytes(StandardCharsets.UTF_8))
            .toArray(size -> size == 0 ? ALL_NAMESPACES : new byte[size][]);
  }

  /**
   * Returns the selection of a request. Errors use the field names of the request.
   *
   * @param fields selectable fields of the type
   * @param namespaces empty for all
   * @throws SelectionException with the problem and the field of the request
   */
  public static CompiledSelection of(
      SelectableFields fields, List<String> namespaces, String labelSelector, String fieldSelector)
      throws SelectionException {
    return new CompiledSelection(
        fields.type(),
        checked(fields.type(), namespaces),
        LabelSelector.parse(labelSelector),
        FieldSelector.parse(fieldSelector, fields));
  }

  /**
   * Returns the selection of a path of the Kubernetes API. A name that no namespace can have
   * selects no objects, as at an apiserver.
   *
   * @param fields selectable fields of the type
   * @param namespace empty for all
   * @throws SelectionException with the problem of a selector
   */
  public static CompiledSelection ofPath(
      SelectableFields fields, String namespace, String labelSelector, String fieldSelector)
      throws SelectionException {
    return new CompiledSelection(
        fields.type(),
        namespace.isEmpty() ? List.of() : List.of(namespace),
        LabelSelector.parse(labelSelector),
        FieldSelector.parse(fieldSelector, fields));
  }

  private static List<String> checked(ApiResource type, List<String> namespaces)
      throws SelectionException {
    if (namespaces.size() > SelectionLimits.MAX_NAMESPACES) {
      throw new SelectionException(
          Reason.TOO_COMPLEX,
          NAMESPACES,
          0,
          "%d namespaces, at most %d are served; name fewer, or none for all"
              .formatted(namespaces.size(), SelectionLimits.MAX_NAMESPACES));
    }
    for (int i = 0; i < namespaces.size(); i++) {
      check(type, namespaces.get(i), NAMESPACES + "[" + i + "]");
    }
    return namespaces.stream().sorted().distinct().toList();
  }

  private static void check(ApiResource type, String namespace, String field)
      throws SelectionException {
    if (namespace.isEmpty()) {
      throw new SelectionException(
          Reason.NAMESPACE_EMPTY,
          field,
          0,
          "an empty namespace does not stand for all; leave namespaces out to select from all");
    }
    if (!type.isNamespaced()) {
      throw new SelectionException(
          Reason.VALUE_INVALID,
          field,
          0,
          type.groupResource()
              + " are cluster-scoped, so none is in namespace "
              + GoStrings.quote(namespace)
              + "; leave the namespace out");
    }
    String wrong = LabelSyntax.namespaceError(namespace);
    if (!wrong.isEmpty()) {
      throw new SelectionException(
          Reason.VALUE_INVALID,
          field,
          0,
          "no namespace can be called " + GoStrings.quote(namespace) + ": " + wrong);
    }
  }

  /**
   * Returns the same selection for the objects of a cache. They were read with the selectable
   * fields of the cache's definition, which may have more of them, or have them in another order.
   *
   * @param held definition of the cache; covers that of this selection
   */
  public CompiledSelection readWith(TypeDefinition held) {
    return held.isCustom() && !fields.requirements().isEmpty()
        ? new CompiledSelection(
            type, namespaces, labels, fields.readWith(SelectableFields.of(held)))
        : this;
  }

  public ApiResource type() {
    return type;
  }

  /** Returns the namespaces, sorted and distinct; empty for all. */
  public List<String> namespaces() {
    return namespaces;
  }

  public LabelSelector labels() {
    return labels;
  }

  public FieldSelector fields() {
    return fields;
  }

  /** Returns whether the selection has no requirements. */
  public boolean selectsEverything() {
    return namespaces.isEmpty()
        && labels.requirements().isEmpty()
        && fields.requirements().isEmpty();
  }

  /**
   * Returns whether the object is selected.
   *
   * @param view object of this type, read with the paths of its {@link SelectableFields}
   */
  public boolean matches(KubeObject view) {
    return isInNamespaces(view) && fields.matches(view) && labels.matches(view);
  }

  /**
   * Returns the requirements that the object does not meet, each as {@code labels: app=web}, {@code
   * fields: status.phase=Running} or {@code namespaces: shop,web}; empty if it is selected.
   *
   * @param view see {@link #matches}
   */
  public List<String> unmetBy(KubeObject view) {
    List<String> unmet = new ArrayList<>();
    if (!isInNamespaces(view)) {
      unmet.add("namespaces: " + String.join(",", namespaces));
    }
    fields.unmetBy(view).forEach(requirement -> unmet.add("fields: " + requirement));
    labels.unmetBy(view).forEach(requirement -> unmet.add("labels: " + requirement));
    return unmet;
  }

  /** Returns whether the namespaces of the selection have the object. */
  public boolean isInNamespaces(KubeObject view) {
    if (namespaceBytes.length == 0) {
      return true;
    }
    for (byte[] namespace : namespaceBytes) {
      if (view.namespaceIs(namespace)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns a text that is equal for equal selections of one type. Tokens contain a hash of it, so
   * it must be the same in all versions of the gateway. It has three lines: {@code namespaces=} and
   * the sorted namespaces joined by commas, {@code labels=} and {@link LabelSelector#canonical},
   * {@code fields=} and {@link FieldSelector#canonical}, without a line feed at the end. Only the
   * last line can contain line feeds of its own.
   */
  public String canonical() {
    return "namespaces=%s\nlabels=%s\nfields=%s"
        .formatted(String.join(",", namespaces), labels.canonical(), fields.canonical());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CompiledSelection that
        && type.equals(that.type)
        && namespaces.equals(that.namespaces)
        && labels.equals(that.labels)
        && fields.equals(that.fields);
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, namespaces, labels, fields);
  }

  @Override
  public String toString() {
    return type + " " + canonical().replace('\n', ' ');
  }
}
