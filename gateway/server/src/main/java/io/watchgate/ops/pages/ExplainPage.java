package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.WatchCache;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Page that explains why a stream with a selection is, or is not, sent an object: whether the
 * gateway holds it, at which version, and which requirements it does not meet. It says whether an
 * object exists and which labels and selectable fields it has, so its reader must be allowed to
 * list the objects of that type in that namespace.
 */
public final class ExplainPage {
  private final TypeRegistry types;

  public ExplainPage(TypeRegistry types) {
    this.types = types;
  }

  /** Returns the page with its path and its parameters. */
  public DebugPage page() {
    return new DebugPage(
        "/debug/explain",
        DebugPage.Access.GUARDED,
        DebugPage.Parameter.texts("type", "object", "namespaces", "labels", "fields"),
        "Whether a selection matches an object, and if not, why: type=pods, object=shop/web;"
            + " namespaces, labels and fields as in the request.",
        this::content);
  }

  private JsonObject content(PageQuery query) throws PageException, InterruptedException {
    WatchCache cache = TypesPage.find(types, query.required("type"));
    String key = key(cache, query.required("object"));
    query.objects().requireList(selection(cache, namespaces(cache, key), "", ""));
    String namespaces = query.text("namespaces");
    CompiledSelection selection =
        selection(
            cache,
            namespaces.isEmpty() ? List.of() : List.of(namespaces.split(",", -1)),
            query.text("labels"),
            query.text("fields"));
    Revision head = cache.head();
    if (head == null) {
      throw PageException.unavailable("the type has no state yet");
    }
    KubeObject object = head.state().get(key.getBytes(StandardCharsets.UTF_8));
    JsonObject content = new JsonObject();
    content.addProperty("type", selection.type().groupResource());
    content.addProperty("object", key);
    content.addProperty("typeVersion", head.version().digits());
    content.addProperty("stalenessSeconds", TypesPage.seconds(cache.stalenessNanos()));
    content.addProperty("held", object != null);
    addLastChange(content, cache, key.getBytes(StandardCharsets.UTF_8));
    if (object == null) {
      content.addProperty("verdict", "not sent: the gateway holds no such object");
      return content;
    }
    content.addProperty("objectVersion", object.resourceVersion());
    List<String> unmet = selection.unmetBy(object);
    content.addProperty("matches", unmet.isEmpty());
    content.addProperty(
        "verdict",
        unmet.isEmpty()
            ? "sent: all requirements are met"
            : "not sent: " + unmet.size() + " of the requirements are not met");
    JsonArray rows = new JsonArray();
    for (String requirement : unmet) {
      JsonObject row = new JsonObject();
      row.addProperty("unmet", requirement);
      rows.add(row);
    }
    content.add("requirements", rows);
    return content;
  }

  private static String key(WatchCache cache, String object) throws PageException {
    boolean isNamespaced = cache.definition().type().isNamespaced();
    if (isNamespaced != object.contains("/")) {
      throw PageException.badQuery(
          isNamespaced
              ? "object=" + object + " has no namespace; write NAMESPACE/NAME"
              : "object=" + object + " has a namespace, and the type has none; write NAME");
    }
    return object;
  }

  /** Returns the namespace of an object; none if its type is cluster-scoped. */
  private static List<String> namespaces(WatchCache cache, String key) {
    return cache.definition().type().isNamespaced()
        ? List.of(key.substring(0, key.indexOf('/')))
        : List.of();
  }

  private static CompiledSelection selection(
      WatchCache cache, List<String> namespaces, String labels, String fields)
      throws PageException {
    try {
      return CompiledSelection.of(
              SelectableFields.of(cache.definition()), namespaces, labels, fields)
          .readWith(cache.definition());
    } catch (SelectionException e) {
      throw PageException.badQuery(String.valueOf(e.getMessage()));
    }
  }

  /** Adds the last change of the object that is still in history. */
  private static void addLastChange(JsonObject content, WatchCache cache, byte[] key) {
    Revision last = null;
    Change lastChange = null;
    for (Revision at = cache.oldest(); at != null; at = at.next()) {
      Change change = changeOf(at, key);
      if (change != null) {
        last = at;
        lastChange = change;
      }
    }
    if (last != null && lastChange != null) {
      content.addProperty(
          "lastChange",
          lastChange.now() == null ? "deleted" : lastChange.old() == null ? "added" : "modified");
      content.addProperty("lastChangeVersion", last.version().digits());
      content.addProperty("lastChangeReceived", TextPage.time(last.receivedAt()));
    }
  }

  private static @Nullable Change changeOf(Revision revision, byte[] key) {
    for (Change change : revision.changes()) {
      KubeObject object = change.now() == null ? change.old() : change.now();
      if (object != null && Arrays.equals(object.key(), key)) {
        return change;
      }
    }
    return null;
  }
}
