package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.http.ApiPath;
import io.watchgate.http.ServedResource.Subresource;
import io.watchgate.http.StatusErrors;
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

/**
 * Dispatcher of write requests: resolves the path, decodes the body and calls the handler.
 * Thread-safe.
 */
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

  private final ObjectStore store;
  private final SandboxTypes types;
  private final CreateHandler creation;
  private final UpdateHandler update;
  private final DeleteHandler deletion;
  private final PodActions pods;

  SandboxWrites(
      ObjectStore store,
      SandboxTypes types,
      CreateHandler creation,
      UpdateHandler update,
      DeleteHandler deletion,
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
    SandboxTypes.RequestedType requested =
        types
            .find(path.group(), path.version(), path.resource())
            .orElseThrow(StatusErrors::noSuchResource);
    boolean namespaced = requested.version().type().isNamespaced();
    if (path.form() == ApiPath.Form.LEGACY_WATCH || (namespaced && path.namespace().isEmpty())) {
      throw StatusErrors.notAllowed();
    }
    if (!namespaced && !path.namespace().isEmpty()) {
      throw StatusErrors.noSuchResource();
    }
    WriteTarget target =
        new WriteTarget(requested.type(), requested.version(), path.namespace(), path.name());
    return path.subresource().isEmpty()
        ? handleObject(target, request)
        : handleSubresource(target, path.subresource(), request);
  }

  /**
   * Runs the task under the store's lock. Throws if the type's definition has changed since the
   * request was resolved, because its caches have been replaced.
   */
  private <T> T runLocked(WriteTarget target, ObjectStore.Work<T> work) throws StatusException {
    return store.runLocked(
        () -> {
          if (!types.isServed(target.storedType())) {
            throw StatusErrors.loading();
          }
          return work.run();
        });
  }

  private Answer handleObject(WriteTarget target, WriteRequest request) throws StatusException {
    if (target.name().isEmpty()) {
      return switch (request.method()) {
        case POST -> create(target, request);
        case DELETE -> deleteAll(target, request);
        case PUT, PATCH -> throw StatusErrors.notAllowed();
      };
    }
    return switch (request.method()) {
      case PUT -> replace(target, request, UpdatedPart.OBJECT);
      case PATCH -> patch(target, request, UpdatedPart.OBJECT);
      case DELETE -> delete(target, request);
      case POST -> throw StatusErrors.notAllowed();
    };
  }

  private Answer handleSubresource(WriteTarget target, String name, WriteRequest request)
      throws StatusException {
    Subresource part =
        target.version().served().subresources().stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(StatusErrors::noSuchResource);
    if (!part.verbs().contains(VERBS.get(request.method()))) {
      throw StatusErrors.notAllowed();
    }
    return switch (name) {
      case "status" -> change(target, request, UpdatedPart.STATUS);
      case "finalize" -> change(target, request, UpdatedPart.FINALIZERS);
      case "scale" -> scale(target, request);
      case "binding" -> {
        pods.bind(target, decode(target, request, part), WriteOptions.dryRun(request));
        yield WriteResponses.created();
      }
      case "eviction" -> {
        pods.evict(target, decode(target, request, part), WriteOptions.dryRun(request));
        yield WriteResponses.created();
      }
      default -> throw StatusErrors.noSuchResource();
    };
  }

  private Answer change(WriteTarget target, WriteRequest request, UpdatedPart part)
      throws StatusException {
    return request.method() == Method.PUT
        ? replace(target, request, part)
        : patch(target, request, part);
  }

  private Answer create(WriteTarget target, WriteRequest request) throws StatusException {
    DryRun dryRun = WriteOptions.dryRun(request);
    JsonObject sent = decode(target, request);
    JsonObject created = runLocked(target, () -> creation.create(target, sent, dryRun));
    return WriteResponses.object(WriteResponses.CREATED, target, created);
  }

  private Answer replace(WriteTarget target, WriteRequest request, UpdatedPart part)
      throws StatusException {
    DryRun dryRun = WriteOptions.dryRun(request);
    JsonObject sent = decode(target, request);
    ObjectDecoder.requireName(sent, target.name());
    UpdateHandler.Result result =
        runLocked(target, () -> update.replace(target, sent, part, dryRun));
    return WriteResponses.object(
        result.created() ? WriteResponses.CREATED : WriteResponses.OK, target, result.object());
  }

  private Answer patch(WriteTarget target, WriteRequest request, UpdatedPart part)
      throws StatusException {
    DryRun dryRun = WriteOptions.dryRun(request);
    PatchRequest patching = PatchRequest.of(target, request);
    JsonObject patched =
        runLocked(target, () -> update.change(target, patching::stored, part, dryRun));
    return WriteResponses.object(WriteResponses.OK, target, patched);
  }

  private Answer scale(WriteTarget target, WriteRequest request) throws StatusException {
    DryRun dryRun = WriteOptions.dryRun(request);
    UpdateHandler.Step step;
    if (request.method() == Method.PATCH) {
      PatchRequest patching =
          PatchRequest.of(target, request, ScaleSubresource.API_VERSION, ScaleSubresource.KIND);
      step = now -> ScaleSubresource.apply(patching.scale(ScaleSubresource.of(now)), now);
    } else {
      JsonObject sent =
          ObjectDecoder.read(
              RequestBodyReader.object(request, ScaleSubresource.KIND),
              ScaleSubresource.KIND,
              ScaleSubresource.API_VERSION,
              WriteOptions.fieldValidation(request));
      ScaleSubresource.requireReplicas(sent);
      ObjectDecoder.requireName(sent, target.name());
      step = now -> ScaleSubresource.apply(sent, now);
    }
    JsonObject scaled =
        runLocked(target, () -> update.change(target, step, UpdatedPart.OBJECT, dryRun));
    return WriteResponses.plain(WriteResponses.OK, ScaleSubresource.of(scaled));
  }

  /** Returns the object of the request in the form of the stored version. */
  private static JsonObject decode(WriteTarget target, WriteRequest request)
      throws StatusException {
    JsonObject sent =
        ObjectDecoder.read(
            RequestBodyReader.object(request, target.type().kind()),
            target,
            WriteOptions.fieldValidation(request));
    return target.version().converter().toStored().apply(sent);
  }

  /** Returns the object of a request to a subresource of another kind. */
  private static JsonObject decode(WriteTarget target, WriteRequest request, Subresource part)
      throws StatusException {
    String apiVersion =
        part.group().isEmpty() ? part.version() : part.group() + "/" + part.version();
    JsonObject sent =
        ObjectDecoder.read(
            RequestBodyReader.object(request, part.kind()),
            part.kind(),
            apiVersion,
            WriteOptions.fieldValidation(request));
    ObjectDecoder.requireNamespace(sent, target.namespace());
    return sent;
  }

  private Answer delete(WriteTarget target, WriteRequest request) throws StatusException {
    DeleteOptions options = WriteOptions.delete(request);
    DeleteHandler.Result result = runLocked(target, () -> deletion.delete(target, options));
    return result.removed() && !target.strategy().has(Trait.DELETE_RETURNS_OBJECT)
        ? WriteResponses.removed(target, result.object())
        : WriteResponses.object(WriteResponses.OK, target, result.object());
  }

  private Answer deleteAll(WriteTarget target, WriteRequest request) throws StatusException {
    if (!target.version().definition().verbs().contains("deletecollection")) {
      throw StatusErrors.notAllowed();
    }
    DeleteOptions options = WriteOptions.delete(request);
    CompiledSelection selection = selection(target, request);
    return runLocked(
        target,
        () -> {
          List<JsonObject> deleted = new ArrayList<>();
          for (String name : selected(target, selection)) {
            deleted.add(deletion.delete(target.withName(name), options).object());
          }
          return WriteResponses.list(target, deleted, store.version().digits());
        });
  }

  private static CompiledSelection selection(WriteTarget target, WriteRequest request)
      throws StatusException {
    try {
      return CompiledSelection.of(
          SelectableFields.of(target.version().definition()),
          List.of(),
          request.query().getOrDefault("labelSelector", ""),
          request.query().getOrDefault("fieldSelector", ""));
    } catch (SelectionException e) {
      throw StatusErrors.badRequest(String.valueOf(e.getMessage()));
    }
  }

  private static List<String> selected(WriteTarget target, CompiledSelection selection) {
    KeyRange range =
        target.namespace().isEmpty() ? KeyRange.ALL : KeyRange.ofNamespace(target.namespace());
    List<String> names = new ArrayList<>();
    StateCursor objects = target.version().state().cursor(range);
    for (KubeObject object = objects.peek(); object != null; object = objects.peek()) {
      if (selection.matches(object)) {
        names.add(object.name());
      }
      objects.advance();
    }
    return names;
  }
}
