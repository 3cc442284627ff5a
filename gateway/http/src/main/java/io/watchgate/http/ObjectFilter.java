package io.watchgate.http;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.FieldRequirement;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Filter of the objects of a list or a watch. Immutable. */
final class ObjectFilter {
  private final CompiledSelection selection;
  private final KeyRange range;

  private ObjectFilter(CompiledSelection selection, KeyRange range) {
    this.selection = selection;
    this.range = range;
  }

  /**
   * Returns a small range for a watch of one object, which is common, so that it does not scan the
   * complete type.
   */
  private static KeyRange range(CompiledSelection selection, String namespace) {
    boolean hasNamespace = !namespace.isEmpty();
    List<String> names =
        selection.fields().requirements().stream()
            .filter(one -> one.operator() == FieldRequirement.Operator.EQUAL)
            .filter(one -> one.field().equals("metadata.name"))
            .map(FieldRequirement::value)
            .toList();
    if (!names.isEmpty() && (hasNamespace || !selection.type().isNamespaced())) {
      return KeyRange.ofKey((hasNamespace ? namespace + "/" : "") + names.getFirst());
    }
    return hasNamespace ? KeyRange.ofNamespace(namespace) : KeyRange.ALL;
  }

  /**
   * Returns the filter of a request.
   *
   * @throws StatusException 400 for invalid selectors
   */
  static ObjectFilter of(SelectableFields fields, ApiPath path, ListOptions options)
      throws StatusException {
    FieldRequirement named =
        new FieldRequirement("metadata.name", FieldRequirement.Operator.EQUAL, path.name());
    boolean byName = !path.name().isEmpty();
    String fieldSelector =
        byName && options.selectors().fields().isEmpty()
            ? named.toString()
            : options.selectors().fields();
    try {
      CompiledSelection selection =
          CompiledSelection.ofPath(
              fields, path.namespace(), options.selectors().labels(), fieldSelector);
      if (byName && !selection.fields().requirements().contains(named)) {
        throw StatusErrors.badRequest("fieldSelector metadata.name doesn't match requested name");
      }
      return new ObjectFilter(selection, range(selection, path.namespace()));
    } catch (SelectionException e) {
      throw StatusErrors.badRequest(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the same filter for the objects of a cache, by {@link CompiledSelection#readWith}. */
  ObjectFilter readWith(TypeDefinition held) {
    return new ObjectFilter(selection.readWith(held), range);
  }

  CompiledSelection selection() {
    return selection;
  }

  KeyRange range() {
    return range;
  }

  /** Returns the key after which a list continues. */
  byte[] keyOf(ContinueToken token) {
    String key = token.lastKey();
    return (keyPrefix() + (key.startsWith("/") ? key.substring(1) : key))
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the token of a list that continues after an object. */
  ContinueToken tokenAfter(KubeObject last, ResourceVersion version) {
    String key = new String(last.key(), StandardCharsets.UTF_8);
    String prefix = keyPrefix();
    return new ContinueToken(
        version, prefix.isEmpty() ? key : "/" + key.substring(prefix.length()));
  }

  /** A token has the key below the path of its list, for a namespace with a slash. */
  private String keyPrefix() {
    return selection.namespaces().isEmpty() ? "" : selection.namespaces().getFirst() + "/";
  }

  /** Returns whether every object in the range matches. */
  boolean matchesEntireRange() {
    return selection.labels().requirements().isEmpty()
        && selection.fields().requirements().isEmpty();
  }

  boolean matches(KubeObject object) {
    return selection.matches(object);
  }
}
