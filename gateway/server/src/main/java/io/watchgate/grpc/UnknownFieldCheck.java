package io.watchgate.grpc;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import java.util.List;
import java.util.Map;

/**
 * Check that refuses requests with unknown fields or enum values, which come from a newer contract.
 * If an unknown field were ignored, the response could contain more than was requested (a selection
 * that was not applied). Clients cannot notice that.
 */
final class UnknownFieldCheck {
  private UnknownFieldCheck() {}

  static void check(Message request) throws ApiException {
    check(request, "");
  }

  private static void check(Message message, String path) throws ApiException {
    if (!message.getUnknownFields().asMap().isEmpty()) {
      int number = message.getUnknownFields().asMap().keySet().iterator().next();
      throw new ApiException(RequestErrors.unknownField(path, number));
    }
    for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
      String name =
          path.isEmpty() ? field.getKey().getName() : path + "." + field.getKey().getName();
      for (Object value :
          field.getValue() instanceof List<?> values ? values : List.of(field.getValue())) {
        if (value instanceof Message nested) {
          check(nested, name);
        } else if (value instanceof EnumValueDescriptor constant && constant.getIndex() < 0) {
          throw new ApiException(RequestErrors.unknownValue(name, constant.getNumber()));
        }
      }
    }
  }
}
