package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteRequest;
import java.util.List;

/** What stands in the query of a write, or in the body of a DELETE. */
final class Parameters {
  private static final List<String> VALIDATIONS = List.of("", "Ignore", "Strict", "Warn");
  private static final List<String> POLICIES = List.of("Foreground", "Background", "Orphan", "nil");

  private Parameters() {}

  /** Whether unknown fields are refused. Warnings are not sent. */
  enum FieldValidation {
    LENIENT,
    STRICT
  }

  static Commit commit(WriteRequest request) throws StatusException {
    return commit(request.query().getOrDefault("dryRun", ""), optionsKind(request));
  }

  private static Commit commit(String value, String kind) throws StatusException {
    if (value.isEmpty()) {
      return Commit.REAL;
    }
    if (!value.equals("All")) {
      Invalid invalid = new Invalid();
      invalid.unsupportedList("dryRun", value, List.of("All"));
      invalid.throwIfAny("meta.k8s.io", kind, "");
    }
    return Commit.DRY_RUN;
  }

  static FieldValidation fieldValidation(WriteRequest request) throws StatusException {
    String value = request.query().getOrDefault("fieldValidation", "");
    if (!VALIDATIONS.contains(value)) {
      Invalid invalid = new Invalid();
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

  /** What the body says counts; without one, the query. */
  static DeleteOptions delete(WriteRequest request) throws StatusException {
    if (request.body().length == 0) {
      return new DeleteOptions(
          grace(request.query().getOrDefault("gracePeriodSeconds", "")), "", "", commit(request));
    }
    return delete(Bodies.object(request, "DeleteOptions"), commit(request));
  }

  /** As they stand in a body. */
  static DeleteOptions delete(JsonObject options, Commit otherwise) throws StatusException {
    String policy = Tree.text(options, "propagationPolicy");
    if (!policy.isEmpty() && !POLICIES.contains(policy)) {
      Invalid invalid = new Invalid();
      invalid.unsupported("propagationPolicy", policy, POLICIES);
      invalid.throwIfAny("meta.k8s.io", "DeleteOptions", "");
    }
    List<String> dryRun = Tree.texts(options, "dryRun");
    return new DeleteOptions(
        grace(Tree.text(options, "gracePeriodSeconds")),
        Tree.text(options, "preconditions", "uid"),
        Tree.text(options, "preconditions", "resourceVersion"),
        dryRun.isEmpty() ? otherwise : commit(dryRun.getFirst(), "DeleteOptions"));
  }

  private static long grace(String text) throws StatusException {
    try {
      long seconds = text.isEmpty() ? -1 : Long.parseLong(text);
      return text.isEmpty() || seconds >= 0 ? seconds : 1; // as an apiserver reads it
    } catch (NumberFormatException e) {
      throw Refusals.badRequest(
          "strconv.ParseInt: parsing " + JsonText.quoted(text) + ": invalid syntax");
    }
  }
}
