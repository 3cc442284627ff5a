package io.watchgate.grpc;

import io.watchgate.encode.ObjectProjection;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import io.watchgate.json.JsonException;
import io.watchgate.json.JsonPointer;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Parser of the projections of requests, and their conversion back to the contract. */
final class ProjectionParser {

  private ProjectionParser() {}

  static ObjectProjection parse(io.watchgate.proto.v1.Projection asked) throws ApiException {
    ObjectProjection view = asked.getIncludePointersCount() > 0 ? including(asked) : view(asked);
    return switch (asked.getChangeEncoding()) {
      case CHANGE_ENCODING_UNSPECIFIED, CHANGE_ENCODING_FULL -> view;
      case CHANGE_ENCODING_PATCH -> view.withPatches();
      case UNRECOGNIZED ->
          throw new ApiException(
              RequestErrors.unsupportedChangeEncoding(asked.getChangeEncoding().name()));
    };
  }

  private static ObjectProjection view(io.watchgate.proto.v1.Projection asked) throws ApiException {
    return switch (asked.getView()) {
      case OBJECT_VIEW_UNSPECIFIED, OBJECT_VIEW_FULL -> ObjectProjection.FULL;
      case OBJECT_VIEW_NO_MANAGED_FIELDS -> ObjectProjection.NO_MANAGED_FIELDS;
      case OBJECT_VIEW_METADATA -> ObjectProjection.METADATA;
      case OBJECT_VIEW_KEY -> ObjectProjection.KEY;
      case UNRECOGNIZED ->
          throw new ApiException(RequestErrors.unsupportedView(asked.getView().name()));
    };
  }

  private static ObjectProjection including(io.watchgate.proto.v1.Projection asked)
      throws ApiException {
    if (asked.getView() != ObjectView.OBJECT_VIEW_UNSPECIFIED) {
      throw new ApiException(RequestErrors.pointersAndView());
    }
    List<String> texts = asked.getIncludePointersList();
    if (texts.size() > RequestLimits.MAX_POINTERS) {
      throw new ApiException(
          RequestErrors.tooManyPointers(texts.size(), RequestLimits.MAX_POINTERS));
    }
    int bytes = texts.stream().mapToInt(text -> text.getBytes(StandardCharsets.UTF_8).length).sum();
    if (bytes > RequestLimits.MAX_POINTER_BYTES) {
      throw new ApiException(RequestErrors.pointersTooLong(bytes, RequestLimits.MAX_POINTER_BYTES));
    }
    List<JsonPointer> pointers = new ArrayList<>(texts.size());
    for (int i = 0; i < texts.size(); i++) {
      pointers.add(pointer(i, texts.get(i)));
    }
    return ObjectProjection.including(pointers);
  }

  private static JsonPointer pointer(int index, String text) throws ApiException {
    try {
      return JsonPointer.parse(text);
    } catch (JsonException e) {
      throw new ApiException(RequestErrors.notAPointer(index, String.valueOf(e.getMessage())));
    }
  }

  /**
   * Checks that patches have a state to apply to.
   *
   * @throws ApiException VALUE_INVALID if patches are requested for a stream that begins without a
   *     state that the client has
   */
  static void checkStart(ObjectProjection projection, ListAndWatchRequest request)
      throws ApiException {
    if (projection.changeEncoding() != ObjectProjection.ChangeEncoding.PATCH) {
      return;
    }
    String start =
        switch (request.getStartCase()) {
          case FROM_NOW -> "from_now";
          case RESOURCE_VERSION -> "resource_version";
          case RESUME_TOKEN, START_NOT_SET -> "";
        };
    if (!start.isEmpty()) {
      throw new ApiException(RequestErrors.patchWithoutState(start));
    }
  }

  /** Returns the projection as applied, for StreamOpened. */
  static io.watchgate.proto.v1.Projection toProto(ObjectProjection projection) {
    return io.watchgate.proto.v1.Projection.newBuilder()
        .setView(
            switch (projection.view()) {
              case FULL -> ObjectView.OBJECT_VIEW_FULL;
              case NO_MANAGED_FIELDS -> ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS;
              case METADATA -> ObjectView.OBJECT_VIEW_METADATA;
              case KEY -> ObjectView.OBJECT_VIEW_KEY;
              case INCLUDED -> ObjectView.OBJECT_VIEW_UNSPECIFIED;
            })
        .addAllIncludePointers(projection.pointers().stream().map(JsonPointer::text).toList())
        .setChangeEncoding(
            switch (projection.changeEncoding()) {
              case FULL -> ChangeEncoding.CHANGE_ENCODING_FULL;
              case PATCH -> ChangeEncoding.CHANGE_ENCODING_PATCH;
            })
        .build();
  }
}
