package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.Change;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.WatchCache;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Page that explains why a stream with a selection is, or is not, sent an object: whether the
 * gateway holds it, at which version, and which requirements it does not meet. Without an object it
 * counts the objects that meet each requirement. It says whether an object exists and which labels
 * and selectable fields it has, so its reader must be allowed to list the objects of that type in
 * that namespace.
 */
public final class ExplainPage {
  /** Maximum number of objects that are counted: some tenths of a second of CPU. */
  private static final int MAX_COUNTED = 100_000;

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
            + " namespaces, labels and fields as in the request. Without object: how many objects"
            + " meet each requirement.",
        this::content);
  }

  private JsonObject content(PageQuery query) throws PageException, InterruptedException {
    WatchCache cache = TypesPage.find(types, query.required("type"));
    String object = query.text("object");
    String named = query.text("namespaces");
    List<String> namespaces = named.isEmpty() ? List.of() : List.of(named.split(",", -1));
    String key = object.isEmpty() ? "" : key(cache, object);
    query
        .objects()
        .requireList(
            selection(cache, key.isEmpty() ? namespaces : namespaceOf(cache, key), "", ""));
    CompiledSelection selection =
        selection(cache, namespaces, query.text("labels"), query.text("fields"));
    Revision head = cache.head();
    if (head == null) {
      throw PageException.unavailable("the type has no state yet");
    }
    JsonObject content = new JsonObject();
    content.addProperty("type", selection.type().groupResource());
    JsonArray names = new JsonArray();
    selection.namespaces().forEach(names::add);
    content.add(StreamsPage.NAMESPACES, names);
    content.addProperty("labels", selection.labels().canonical());
    content.addProperty("fields", selection.fields().canonical());
    content.addProperty("typeVersion", head.version().digits());
    content.addProperty("stalenessSeconds", TypesPage.seconds(cache.proofs().stalenessNanos()));
    if (key.isEmpty()) {
      addCounts(content, head, selection);
    } else {
      content.addProperty("object", key);
      addVerdict(content, cache, head, selection, key.getBytes(StandardCharsets.UTF_8));
    }
    return content;
  }

  private static void addVerdict(
      JsonObject content,
      WatchCache cache,
      Revision head,
      CompiledSelection selection,
      byte[] key) {
    KubeObject object = head.state().get(key);
    content.addProperty("held", object != null);
    boolean wasDeleted = addLastChange(content, cache, key);
    if (object == null) {
      content.addProperty(
          "verdict",
          wasDeleted
              ? "not sent: the object was deleted; ask with one that exists, or without an object"
              : "not sent: the gateway holds no such object");
      return;
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
  }

  /** Adds how many objects of the namespaces meet each requirement, and how many meet all. */
  private static void addCounts(JsonObject content, Revision head, CompiledSelection selection) {
    Map<String, Integer> unmetBy = new TreeMap<>();
    int objects = 0;
    int matching = 0;
    StateCursor cursor = head.state().cursor(KeyRange.ALL);
    for (KubeObject object = cursor.peek();
        object != null && objects < MAX_COUNTED;
        object = cursor.peek()) {
      cursor.advance();
      if (selection.isInNamespaces(object)) {
        objects++;
        List<String> unmet = selection.unmetBy(object);
        unmet.forEach(requirement -> unmetBy.merge(requirement, 1, Integer::sum));
        matching += unmet.isEmpty() ? 1 : 0;
      }
    }
    content.addProperty("counted", objects);
    content.addProperty("matching", matching);
    content.addProperty(
        "verdict",
        cursor.peek() != null
            ? "only the first " + MAX_COUNTED + " objects were counted; name a namespace"
            : matching + " of " + objects + " objects match");
    JsonArray rows = new JsonArray();
    for (Map.Entry<String, Integer> requirement : unmetBy.entrySet()) {
      JsonObject row = new JsonObject();
      row.addProperty("requirement", requirement.getKey());
      row.addProperty("met", objects - requirement.getValue());
      row.addProperty("unmet", requirement.getValue());
      rows.add(row);
    }
    content.add("requirements", rows);
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
  private static List<String> namespaceOf(WatchCache cache, String key) {
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

  /**
   * Adds the last change of the object that is still in history. Returns whether that is its
   * deletion.
   */
  private static boolean addLastChange(JsonObject content, WatchCache cache, byte[] key) {
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
      content.addProperty(
          "lastChangeSecondsAgo", Duration.between(last.receivedAt(), Instant.now()).toSeconds());
    }
    return lastChange != null && lastChange.now() == null;
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
