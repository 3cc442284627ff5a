package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.http.ApiPath;
import io.watchgate.http.ServedResource.Subresource;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteBackend;
import io.watchgate.http.WriteRequest;
import io.watchgate.http.WriteRequest.Method;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Answers writes: finds what a path means, takes the body in, and has it done. Thread-safe. */
final class SandboxWrites implements WriteBackend {
  private static final Map<Method, String> VERBS =
      Map.of(
          Method.POST,
          "create",
          Method.PUT,
          "update",
          Method.PATCH,
          "patch",
          Method.DELETE,
          "delete");

  private final Store store;
  private final Types types;
  private final Creation creation;
  private final Update update;
  private final Deletion deletion;
  private final PodActions pods;

  SandboxWrites(
      Store store,
      Types types,
      Creation creation,
      Update update,
      Deletion deletion,
      PodActions pods) {
    this.store = store;
    this.types = types;
    this.creation = creation;
    this.update = update;
    this.deletion = deletion;
    this.pods = pods;
  }

  @Override
  public Answer answer(WriteRequest request) throws StatusException {
    ApiPath path = request.path();
    Types.Spoken spoken =
        types.find(path.group(), path.version(), path.resource()).orElseThrow(Refusals::notServed);
    boolean namespaced = spoken.version().type().namespaced();
    if (path.form() == ApiPath.Form.LEGACY_WATCH || (namespaced && path.namespace().isEmpty())) {
      throw Refusals.notAllowed();
    }
    if (!namespaced && !path.namespace().isEmpty()) {
      throw Refusals.notServed();
    }
    Target target = new Target(spoken.type(), spoken.version(), path.namespace(), path.name());
    return path.subresource().isEmpty()
        ? whole(target, request)
        : part(target, path.subresource(), request);
  }

  /**
   * Does it in the one order of all writes, unless the definition of the type changed since the
   * request came: what was found of it then is nobody's any more.
   */
  private <T> T inOrder(Target target, Store.Work<T> work) throws StatusException {
    return store.inOrder(
        () -> {
          if (!types.serves(target.stored())) {
            throw Refusals.reinitializing();
          }
          return work.run();
        });
  }

  private Answer whole(Target target, WriteRequest request) throws StatusException {
    if (target.name().isEmpty()) {
      return switch (request.method()) {
        case POST -> create(target, request);
        case DELETE -> deleteAll(target, request);
        case PUT, PATCH -> throw Refusals.notAllowed();
      };
    }
    return switch (request.method()) {
      case PUT -> replace(target, request, Part.OBJECT);
      case PATCH -> patch(target, request, Part.OBJECT);
      case DELETE -> delete(target, request);
      case POST -> throw Refusals.notAllowed();
    };
  }

  private Answer part(Target target, String name, WriteRequest request) throws StatusException {
    Subresource part =
        target.version().served().subresources().stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(Refusals::notServed);
    if (!part.verbs().contains(VERBS.get(request.method()))) {
      throw Refusals.notAllowed();
    }
    return switch (name) {
      case "status" -> change(target, request, Part.STATUS);
      case "finalize" -> change(target, request, Part.FINALIZERS);
      case "scale" -> scale(target, request);
      case "binding" -> {
        pods.bind(target, sent(target, request, part), Parameters.commit(request));
        yield Answers.done(Answers.CREATED);
      }
      case "eviction" -> {
        pods.evict(target, sent(target, request, part), Parameters.commit(request));
        yield Answers.done(Answers.CREATED);
      }
      default -> throw Refusals.notServed();
    };
  }

  private Answer change(Target target, WriteRequest request, Part part) throws StatusException {
    return request.method() == Method.PUT
        ? replace(target, request, part)
        : patch(target, request, part);
  }

  private Answer create(Target target, WriteRequest request) throws StatusException {
    Commit commit = Parameters.commit(request);
    JsonObject sent = sent(target, request);
    JsonObject created = inOrder(target, () -> creation.create(target, sent, commit));
    return Answers.object(Answers.CREATED, target, created);
  }

  private Answer replace(Target target, WriteRequest request, Part part) throws StatusException {
    Commit commit = Parameters.commit(request);
    JsonObject sent = sent(target, request);
    Incoming.requireName(sent, target.name());
    Update.Result result = inOrder(target, () -> update.replace(target, sent, part, commit));
    return Answers.object(result.created() ? Answers.CREATED : Answers.OK, target, result.object());
  }

  private Answer patch(Target target, WriteRequest request, Part part) throws StatusException {
    Commit commit = Parameters.commit(request);
    Patching patching = Patching.of(target, request);
    JsonObject patched =
        inOrder(target, () -> update.change(target, patching::stored, part, commit));
    return Answers.object(Answers.OK, target, patched);
  }

  private Answer scale(Target target, WriteRequest request) throws StatusException {
    Commit commit = Parameters.commit(request);
    Update.Step step;
    if (request.method() == Method.PATCH) {
      Patching patching = Patching.of(target, request, Scale.API_VERSION, Scale.KIND);
      step = now -> Scale.apply(patching.plain(Scale.of(now)), now);
    } else {
      JsonObject sent =
          Incoming.read(
              Bodies.object(request, Scale.KIND),
              Scale.KIND,
              Scale.API_VERSION,
              Parameters.fieldValidation(request));
      Incoming.requireName(sent, target.name());
      step = now -> Scale.apply(sent, now);
    }
    return Answers.plain(Answers.OK, Scale.of(update.change(target, step, Part.OBJECT, commit)));
  }

  /** The object that was sent, as the stored version writes it. */
  private static JsonObject sent(Target target, WriteRequest request) throws StatusException {
    JsonObject sent =
        Incoming.read(
            Bodies.object(request, target.type().kind()),
            target,
            Parameters.fieldValidation(request));
    return target.version().shape().toStored().apply(sent);
  }

  /** What was sent to a subresource of another kind. */
  private static JsonObject sent(Target target, WriteRequest request, Subresource part)
      throws StatusException {
    String apiVersion =
        part.group().isEmpty() ? part.version() : part.group() + "/" + part.version();
    JsonObject sent =
        Incoming.read(
            Bodies.object(request, part.kind()),
            part.kind(),
            apiVersion,
            Parameters.fieldValidation(request));
    Incoming.requireNamespace(sent, target.namespace());
    return sent;
  }

  private Answer delete(Target target, WriteRequest request) throws StatusException {
    DeleteOptions options = Parameters.delete(request);
    Deletion.Result result = inOrder(target, () -> deletion.delete(target, options));
    return result.gone() && !target.rules().has(Trait.ANSWERS_DELETED)
        ? Answers.gone(target, result.object())
        : Answers.object(Answers.OK, target, result.object());
  }

  private Answer deleteAll(Target target, WriteRequest request) throws StatusException {
    if (!target.version().definition().verbs().contains("deletecollection")) {
      throw Refusals.notAllowed();
    }
    DeleteOptions options = Parameters.delete(request);
    CompiledSelection selection = selection(target, request);
    return inOrder(
        target,
        () -> {
          List<JsonObject> deleted = new ArrayList<>();
          for (String name : selected(target, selection)) {
            deleted.add(deletion.delete(target.named(name), options).object());
          }
          return Answers.list(target, deleted, store.version().digits());
        });
  }

  private static CompiledSelection selection(Target target, WriteRequest request)
      throws StatusException {
    try {
      return CompiledSelection.of(
          SelectableFields.of(target.version().definition()),
          List.of(),
          request.query().getOrDefault("labelSelector", ""),
          request.query().getOrDefault("fieldSelector", ""));
    } catch (SelectionException e) {
      throw Refusals.badRequest(String.valueOf(e.getMessage()));
    }
  }

  private static List<String> selected(Target target, CompiledSelection selection) {
    KeyRange range =
        target.namespace().isEmpty() ? KeyRange.ALL : KeyRange.ofNamespace(target.namespace());
    List<String> names = new ArrayList<>();
    StateCursor objects = Store.state(target.version()).cursor(range);
    for (KubeObject object = objects.peek(); object != null; object = objects.peek()) {
      if (selection.matches(object)) {
        names.add(object.name());
      }
      objects.advance();
    }
    return names;
  }
}
