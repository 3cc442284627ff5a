package io.watchgate.kube;

import io.watchgate.cache.CustomColumn;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Facts of a CustomResourceDefinition that discovery does not have.
 *
 * @param name {@code widgets.example.com}
 * @param uid changes when the definition is deleted and created again
 * @param selectableFields by version, as field labels: {@code spec.color}
 * @param columns columns of tables, by version
 */
record CrdInfo(
    String name,
    String uid,
    Map<String, List<String>> selectableFields,
    Map<String, List<CustomColumn>> columns) {

  static CrdInfo of(JsonDocument object) {
    Map<String, List<String>> fields = new HashMap<>();
    Map<String, List<CustomColumn>> columns = new HashMap<>();
    for (JsonDocument version : object.object("spec").objects("versions")) {
      fields.put(
          version.text("name"),
          version.objects("selectableFields").stream()
              .map(field -> field.text("jsonPath"))
              .map(path -> path.startsWith(".") ? path.substring(1) : path)
              .toList());
      columns.put(
          version.text("name"),
          version.objects("additionalPrinterColumns").stream().map(CrdInfo::column).toList());
    }
    JsonDocument metadata = object.object("metadata");
    return new CrdInfo(
        metadata.text("name"), metadata.text("uid"), Map.copyOf(fields), Map.copyOf(columns));
  }

  private static CustomColumn column(JsonDocument column) {
    return new CustomColumn(
        column.text("name"),
        column.text("type"),
        column.text("format"),
        column.text("description"),
        column.number("priority"),
        column.text("jsonPath"));
  }
}
