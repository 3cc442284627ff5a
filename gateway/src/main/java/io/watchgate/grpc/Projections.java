package io.watchgate.grpc;

import io.watchgate.feed.Projection;
import io.watchgate.feed.Refusal;
import io.watchgate.feed.RefusedException;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ObjectView;

/** Which projections are built, and how they are named on the wire. */
final class Projections {
  private Projections() {}

  static Projection find(io.watchgate.proto.v1.Projection asked) throws RefusedException {
    if (asked.getIncludePointersCount() > 0) {
      throw new RefusedException(
          Refusal.ofField(
              ErrorReason.ERROR_REASON_UNSUPPORTED_FIELD,
              "projection.include_pointers",
              "projection.include_pointers is not supported by this gateway. Leave it out and"
                  + " choose a view."));
    }
    switch (asked.getChangeEncoding()) {
      case CHANGE_ENCODING_UNSPECIFIED, CHANGE_ENCODING_FULL -> {}
      case CHANGE_ENCODING_PATCH, UNRECOGNIZED ->
          throw unsupported("projection.change_encoding", asked.getChangeEncoding().name(), "FULL");
    }
    return switch (asked.getView()) {
      case OBJECT_VIEW_UNSPECIFIED, OBJECT_VIEW_FULL -> Projection.FULL;
      case OBJECT_VIEW_NO_MANAGED_FIELDS -> Projection.NO_MANAGED_FIELDS;
      case OBJECT_VIEW_METADATA, OBJECT_VIEW_KEY, UNRECOGNIZED ->
          throw unsupported("projection.view", asked.getView().name(), "FULL or NO_MANAGED_FIELDS");
    };
  }

  static RefusedException unsupported(String field, String value, String instead) {
    return new RefusedException(
        Refusal.ofField(
            ErrorReason.ERROR_REASON_UNSUPPORTED_VALUE,
            field,
            field + " " + value + " is not supported by this gateway. Choose " + instead + "."));
  }

  /** As applied, for StreamOpened. */
  static io.watchgate.proto.v1.Projection toProto(Projection projection) {
    return io.watchgate.proto.v1.Projection.newBuilder()
        .setView(
            switch (projection) {
              case FULL -> ObjectView.OBJECT_VIEW_FULL;
              case NO_MANAGED_FIELDS -> ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS;
            })
        .setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_FULL)
        .build();
  }
}
