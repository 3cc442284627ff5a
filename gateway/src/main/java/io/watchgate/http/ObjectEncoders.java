package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;

/** The forms that objects of one type can have. */
record ObjectEncoders(ServedResource resource, TimeSource time) {

  private TypeDefinition definition() {
    return resource.definition();
  }

  /**
   * Of a single object.
   *
   * @throws StatusException 406 if it cannot have the form that is wanted
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
   * Of a list.
   *
   * @throws StatusException 406 if it cannot have the form that is wanted
   */
  ObjectEncoder ofList(ResponseFormat wanted) throws StatusException {
    if (wanted.kind() == ResponseFormat.Kind.PARTIAL_OBJECT_METADATA) {
      throw StatusErrors.notAcceptable(
          "you requested PartialObjectMetadata, but the requested object is a list (%sList)"
              .formatted(definition().type().kind()));
    }
    return of(wanted);
  }

  /** Of a watch. */
  ObjectEncoder of(ResponseFormat wanted) {
    ApiResource type = definition().type();
    return switch (wanted.kind()) {
      case OBJECTS -> plain();
      case PARTIAL_OBJECT_METADATA, PARTIAL_OBJECT_METADATA_LIST ->
          new PartialObjectEncoder(wanted.apiVersion());
      case TABLE ->
          new TableRowEncoder(
              wanted.apiVersion(),
              TypeColumns.of(type.apiVersion(), type.kind(), resource.columns()),
              time,
              besideCells(wanted));
    };
  }

  private ObjectEncoder plain() {
    return definition().custom()
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
   * Of the answer to a write. What is no object of the type, a Status or a Binding, stays as it is.
   *
   * @throws StatusException 406 if it cannot have the form that is wanted
   */
  byte[] ofAnswer(ResponseFormat wanted, byte[] answer) throws StatusException {
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

  /** Rows without objects. */
  private static final class NoObjects implements ObjectEncoder {
    @Override
    public void object(byte[] object, ByteBuilder out) {
      out.append("null");
    }

    @Override
    public void listHead(ListMeta meta, ByteBuilder out) {
      throw new UnsupportedOperationException("a list of nothing");
    }

    @Override
    public void listItem(byte[] object, ByteBuilder out) {
      object(object, out);
    }

    @Override
    public void listTail(ListMeta meta, ByteBuilder out) {
      throw new UnsupportedOperationException("a list of nothing");
    }
  }
}
