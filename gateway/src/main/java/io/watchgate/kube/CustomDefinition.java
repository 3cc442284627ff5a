package io.watchgate.kube;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a CustomResourceDefinition says beyond discovery.
 *
 * @param name {@code widgets.example.com}
 * @param uid changes when the definition is deleted and created anew
 * @param selectableFields by version, as field labels: {@code spec.color}
 */
record CustomDefinition(String name, String uid, Map<String, List<String>> selectableFields) {

  static CustomDefinition of(Document object) {
    Map<String, List<String>> fields = new HashMap<>();
    for (Document version : object.object("spec").objects("versions")) {
      fields.put(
          version.text("name"),
          version.objects("selectableFields").stream()
              .map(field -> field.text("jsonPath"))
              .map(path -> path.startsWith(".") ? path.substring(1) : path)
              .toList());
    }
    Document metadata = object.object("metadata");
    return new CustomDefinition(metadata.text("name"), metadata.text("uid"), Map.copyOf(fields));
  }
}
