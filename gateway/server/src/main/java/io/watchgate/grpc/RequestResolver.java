package io.watchgate.grpc;

import io.watchgate.cache.HistoryId;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.encode.SelectionTokens;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;

/**
 * Resolver of a request's type, selection and projection. Thread-safe; may block while it asks the
 * apiserver for a type.
 */
final class RequestResolver {
  private final ServedTypes types;
  private final ServedClusterId clusterId;

  RequestResolver(ServedTypes types, ServedClusterId clusterId) {
    this.types = types;
    this.clusterId = clusterId;
  }

  ResolvedRequest resolve(
      io.watchgate.proto.v1.Selection sent, io.watchgate.proto.v1.Projection projection)
      throws ApiException, InterruptedException {
    ObjectProjection applied = ProjectionParser.parse(projection);
    TypeDefinition definition = types.find(sent.getResourceType());
    CompiledSelection selection;
    try {
      selection = selection(sent, definition);
    } catch (SelectionException e) {
      if (!mayBeOutdated(e.reason(), definition)) {
        throw refused(e);
      }
      definition = types.recheck(sent.getResourceType());
      selection = recheckedSelection(sent, definition);
    }
    SelectionTokens tokens =
        SelectionTokens.of(new HistoryId(clusterId.require(), definition), selection, applied);
    return new ResolvedRequest(definition, selection, applied, tokens);
  }

  /**
   * Returns whether a newer definition may accept the selection: a field or the scope may have
   * changed since it was read.
   */
  private static boolean mayBeOutdated(
      SelectionException.Reason reason, TypeDefinition definition) {
    return definition.isCustom()
        && (reason == SelectionException.Reason.FIELD_NOT_SELECTABLE
            || reason == SelectionException.Reason.VALUE_INVALID);
  }

  private static CompiledSelection recheckedSelection(
      io.watchgate.proto.v1.Selection sent, TypeDefinition definition) throws ApiException {
    try {
      return selection(sent, definition);
    } catch (SelectionException e) {
      throw refused(e);
    }
  }

  private static CompiledSelection selection(
      io.watchgate.proto.v1.Selection sent, TypeDefinition definition) throws SelectionException {
    return CompiledSelection.of(
        SelectableFields.of(definition),
        sent.getNamespacesList(),
        sent.getLabelSelector(),
        sent.getFieldSelector());
  }

  private static ApiException refused(SelectionException e) {
    return new ApiException(
        RequestErrors.selection(
            reason(e.reason()), String.valueOf(e.getMessage()), e.field(), e.column()));
  }

  private static ErrorReason reason(SelectionException.Reason kind) {
    return switch (kind) {
      case SELECTOR_INVALID -> ErrorReason.ERROR_REASON_SELECTOR_INVALID;
      case FIELD_NOT_SELECTABLE -> ErrorReason.ERROR_REASON_FIELD_NOT_SELECTABLE;
      case TOO_COMPLEX -> ErrorReason.ERROR_REASON_TOO_COMPLEX;
      case NAMESPACE_EMPTY -> ErrorReason.ERROR_REASON_NAMESPACE_EMPTY;
      case VALUE_INVALID -> ErrorReason.ERROR_REASON_VALUE_INVALID;
    };
  }
}
