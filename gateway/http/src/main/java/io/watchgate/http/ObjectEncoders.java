package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.encode.ByteSlices;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import org.jspecify.annotations.Nullable;

/** Factory of the encoders of one type. */
record ObjectEncoders(ServedResource resource, TimeSource time) {

  private TypeDefinition definition() {
    return resource.definition();
  }

  /**
   * Returns the encoder of a single object.
   *
   * @throws StatusException 406 if an object does not have the requested format
   */
  ObjectEncoder ofObject(ResponseFormat wanted) throws StatusException {
    if (wanted.kind() == ResponseFormat.Kind.PARTIAL_OBJECT_METADATA_LIST) {
      throw StatusErrors.notAcceptable(
          "you requested PartialObjectMetadataList, but the requested object is not a list (%s)"
              .formatted(definition().type().kind()));
    }
    return of(wanted);
  }

  /**
   * Returns the encoder of a list.
   *
   * @throws StatusException 406 if a list does not have the requested format
   */
  ObjectEncoder ofList(ResponseFormat wanted) throws StatusException {
    if (wanted.kind() == ResponseFormat.Kind.PARTIAL_OBJECT_METADATA) {
      throw StatusErrors.notAcceptable(
          "you requested PartialObjectMetadata, but the requested object is a list (%sList)"
              .formatted(definition().type().kind()));
    }
    return of(wanted);
  }

  private ObjectEncoder of(ResponseFormat wanted) {
    return switch (wanted.kind()) {
      case OBJECTS -> plain();
      case PARTIAL_OBJECT_METADATA, PARTIAL_OBJECT_METADATA_LIST ->
          new PartialObjectEncoder(wanted.apiVersion());
      case TABLE -> table(wanted);
    };
  }

  /** Returns the encoder of the frames of a watch, which watches share. */
  ObjectEncoder ofFrames(ResponseFormat wanted) {
    return wanted.kind() == ResponseFormat.Kind.TABLE ? table(wanted).ofFrames() : of(wanted);
  }

  /** Returns the columns that the first frame of a watch has; null if the format has none. */
  @Nullable ByteSlices columns(ResponseFormat wanted) {
    return wanted.kind() == ResponseFormat.Kind.TABLE ? table(wanted).columns() : null;
  }

  private TableRowEncoder table(ResponseFormat wanted) {
    ApiResource type = definition().type();
    return new TableRowEncoder(
        wanted.apiVersion(),
        TypeColumns.of(type.apiVersion(), type.kind(), resource.columns()),
        time,
        besideCells(wanted));
  }

  private ObjectEncoder plain() {
    return definition().isCustom()
        ? new CustomObjectEncoder(definition().type())
        : new BuiltInObjectEncoder(definition().type());
  }

  private ObjectEncoder besideCells(ResponseFormat wanted) {
    return switch (wanted.include()) {
      case METADATA -> new PartialObjectEncoder(wanted.apiVersion());
      case OBJECT -> plain();
      case NONE -> new NoObjects();
    };
  }

  /**
   * Encodes the response of a write. An object of another type, a Status or a Binding, stays
   * unchanged.
   *
   * @throws StatusException 406 if the object does not have the requested format
   */
  byte[] encodeResponse(ResponseFormat wanted, byte[] answer) throws StatusException {
    ObjectEncoder form = ofObject(wanted);
    boolean asItIs =
        wanted.kind() == ResponseFormat.Kind.OBJECTS
            || !JsonView.of(answer).get("kind").text().equals(definition().type().kind());
    ByteBuilder out = new ByteBuilder(answer.length + 1);
    if (asItIs) {
      out.append(answer);
    } else {
      form.object(answer, out);
    }
    return out.append('\n').toArray();
  }

  /** Encoder of table rows without objects. */
  private static final class NoObjects implements ObjectEncoder {
    @Override
    public void object(byte[] object, ByteBuilder out) {
      out.append("null");
    }

    @Override
    public void listHead(ListMeta meta, ByteBuilder out) {
      throw new UnsupportedOperationException("a list of nothing");
    }
  }
}
