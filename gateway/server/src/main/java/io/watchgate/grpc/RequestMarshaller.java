package io.watchgate.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.MethodDescriptor;
import io.watchgate.error.RequestErrors;
import java.io.IOException;
import java.io.InputStream;

/**
 * Marshaller of requests of bounded size. If a marshaller throws, gRPC answers with a status of its
 * own without a reason. So an unreadable request is passed on, and refused like any other error.
 */
final class RequestMarshaller<T extends MessageLite>
    implements MethodDescriptor.Marshaller<RequestParseResult<T>> {
  private final Parser<T> parser;

  RequestMarshaller(Parser<T> parser) {
    this.parser = parser;
  }

  @Override
  public RequestParseResult<T> parse(InputStream stream) {
    try {
      byte[] bytes = stream.readNBytes(RequestLimits.MAX_REQUEST_BYTES + 1);
      return bytes.length > RequestLimits.MAX_REQUEST_BYTES
          ? new RequestParseResult.Unreadable<>(
              RequestErrors.tooLarge(RequestLimits.MAX_REQUEST_BYTES))
          : new RequestParseResult.Message<>(parser.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      return new RequestParseResult.Unreadable<>(RequestErrors.notOfContract());
    } catch (IOException e) {
      return new RequestParseResult.Unreadable<>(RequestErrors.notDecompressed());
    }
  }

  /** Encodes a request, as a client does. On a server only interceptors call it. */
  @Override
  public InputStream stream(RequestParseResult<T> request) {
    return switch (request) {
      case RequestParseResult.Message<T>(T message) -> message.toByteString().newInput();
      case RequestParseResult.Unreadable<T> _ ->
          throw new IllegalArgumentException("nothing of this request was kept");
    };
  }
}
