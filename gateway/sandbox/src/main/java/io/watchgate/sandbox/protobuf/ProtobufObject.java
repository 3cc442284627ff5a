package io.watchgate.sandbox.protobuf;

import com.google.gson.JsonObject;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Reader of an object in its envelope: four magic bytes, and a message of apiVersion, kind and the
 * bytes of the object ({@code runtime.Unknown} of apimachinery).
 */
public final class ProtobufObject {
  /** The media type. */
  public static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

  private static final byte[] MAGIC = {'k', '8', 's', 0};
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9./ -]{1,200}");
  private static final int TYPE_META = 1;
  private static final int RAW = 2;
  private static final int API_VERSION = 1;
  private static final int KIND = 2;

  private ProtobufObject() {}

  /**
   * Returns the object as the equivalent JSON.
   *
   * @throws ProtobufException if the body is malformed, or if its type is unknown
   */
  public static JsonObject read(byte[] body) throws ProtobufException {
    if (body.length < MAGIC.length
        || !Arrays.equals(body, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new ProtobufException("the body does not begin as an object in protobuf does");
    }
    try {
      return object(CodedInputStream.newInstance(body, MAGIC.length, body.length - MAGIC.length));
    } catch (IOException e) {
      throw new ProtobufException("the protobuf is malformed: it ends early, or is cut");
    }
  }

  private static JsonObject object(CodedInputStream in) throws IOException, ProtobufException {
    String apiVersion = "";
    String kind = "";
    byte[] raw = {};
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case TYPE_META -> {
          int end = in.pushLimit(in.readRawVarint32());
          for (int part = in.readTag(); part != 0; part = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(part)) {
              case API_VERSION -> apiVersion = in.readStringRequireUtf8();
              case KIND -> kind = in.readStringRequireUtf8();
              default -> in.skipField(part);
            }
          }
          in.popLimit(end);
        }
        case RAW -> raw = in.readByteArray();
        default -> in.skipField(tag);
      }
    }
    String message = MessageTypes.known().ofKind(apiVersion, kind).orElse("");
    if (message.isEmpty()) {
      String typeName = kind + " of " + apiVersion;
      throw new ProtobufException(
          "the sandbox does not accept "
              + (PLAIN.matcher(typeName).matches() ? typeName : "this type")
              + " as protobuf; send it as application/json");
    }
    JsonObject object = new JsonObject();
    object.addProperty("kind", kind);
    object.addProperty("apiVersion", apiVersion);
    MessageReader reader = new MessageReader(CodedInputStream.newInstance(raw));
    reader.message(message).asMap().forEach(object::add);
    return object;
  }
}
