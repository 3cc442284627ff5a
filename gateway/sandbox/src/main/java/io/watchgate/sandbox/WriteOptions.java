package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusErrors;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteRequest;
import java.util.List;

/** Parser of the options in the query of a write or in the body of a DELETE. */
final class WriteOptions {
  private static final List<String> VALIDATIONS = List.of("", "Ignore", "Strict", "Warn");
  private static final List<String> POLICIES = List.of("Foreground", "Background", "Orphan", "nil");

  private WriteOptions() {}

  /** Handling of unknown fields. Warnings are not sent. */
  enum FieldValidation {
    LENIENT,
    STRICT
  }

  static DryRun dryRun(WriteRequest request) throws StatusException {
    return dryRun(request.query().getOrDefault("dryRun", ""), optionsKind(request));
  }

  private static DryRun dryRun(String value, String kind) throws StatusException {
    if (value.isEmpty()) {
      return DryRun.REAL;
    }
    if (!value.equals("All")) {
      FieldErrors invalid = new FieldErrors();
      invalid.unsupportedList("dryRun", value, List.of("All"));
      invalid.throwIfAny("meta.k8s.io", kind, "");
    }
    return DryRun.DRY_RUN;
  }

  static FieldValidation fieldValidation(WriteRequest request) throws StatusException {
    String value = request.query().getOrDefault("fieldValidation", "");
    if (!VALIDATIONS.contains(value)) {
      FieldErrors invalid = new FieldErrors();
      invalid.unsupported("fieldValidation", value, VALIDATIONS);
      invalid.throwIfAny("meta.k8s.io", optionsKind(request), "");
    }
    return value.equals("Strict") ? FieldValidation.STRICT : FieldValidation.LENIENT;
  }

  private static String optionsKind(WriteRequest request) {
    return switch (request.method()) {
      case POST -> "CreateOptions";
      case PUT -> "UpdateOptions";
      case PATCH -> "PatchOptions";
      case DELETE -> "DeleteOptions";
    };
  }

  /** Returns the options of a DELETE: those of the body, or of the query if there is no body. */
  static DeleteOptions delete(WriteRequest request) throws StatusException {
    if (request.body().length == 0) {
      return new DeleteOptions(
          grace(request.query().getOrDefault("gracePeriodSeconds", "")), "", "", dryRun(request));
    }
    return delete(RequestBodyReader.object(request, "DeleteOptions"), dryRun(request));
  }

  /** Returns the options of a DELETE body. */
  static DeleteOptions delete(JsonObject options, DryRun otherwise) throws StatusException {
    String policy = JsonTree.text(options, "propagationPolicy");
    if (!policy.isEmpty() && !POLICIES.contains(policy)) {
      FieldErrors invalid = new FieldErrors();
      invalid.unsupported("propagationPolicy", policy, POLICIES);
      invalid.throwIfAny("meta.k8s.io", "DeleteOptions", "");
    }
    List<String> dryRun = JsonTree.texts(options, "dryRun");
    return new DeleteOptions(
        grace(JsonTree.text(options, "gracePeriodSeconds")),
        JsonTree.text(options, "preconditions", "uid"),
        JsonTree.text(options, "preconditions", "resourceVersion"),
        dryRun.isEmpty() ? otherwise : dryRun(dryRun.getFirst(), "DeleteOptions"));
  }

  private static long grace(String text) throws StatusException {
    try {
      long seconds = text.isEmpty() ? -1 : Long.parseLong(text);
      return text.isEmpty() || seconds >= 0 ? seconds : 1; // negative reads as 1, as in Go
    } catch (NumberFormatException e) {
      throw StatusErrors.badRequest(
          "strconv.ParseInt: parsing " + GoJsonText.quoted(text) + ": invalid syntax");
    }
  }
}
