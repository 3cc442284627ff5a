package io.watchgate.bench;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.RawApiClient.Message;
import java.nio.charset.StandardCharsets;

/**
 * Objects of a run, in a namespace of their own. Immutable.
 *
 * @param padding number of bytes that bring an object to the planned size
 */
record TestObjects(RawApiClient api, BenchPlan.Objects plan, String namespace, int padding) {
  static final String LABEL = "app";
  static final String LABEL_VALUE = "watchgate-bench";

  /**
   * Creates the namespace and determines the padding for the planned object size.
   *
   * @throws KubeException if the apiserver refuses either; the namespace is removed if possible
   */
  static TestObjects prepare(RawApiClient api, BenchPlan.Objects plan, String namespace)
      throws KubeException {
    api.send(Message.createNamespace(namespace));
    TestObjects bare = new TestObjects(api, plan, namespace, 0);
    try {
      int own = api.send(bare.creation(0, "?dryRun=All")).length;
      return new TestObjects(api, plan, namespace, Math.max(0, plan.bytes() - own));
    } catch (KubeException e) {
      try {
        bare.remove();
      } catch (KubeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  static String node(int number) {
    return "bench-node-%05d".formatted(number);
  }

  /**
   * Creates one object.
   *
   * @return resourceVersion of the object
   */
  String create(int object) throws KubeException {
    byte[] created = api.send(creation(object, ""));
    JsonObject tree =
        JsonParser.parseString(new String(created, StandardCharsets.UTF_8)).getAsJsonObject();
    return tree.getAsJsonObject("metadata").get("resourceVersion").getAsString();
  }

  /** Makes one change; returns once the apiserver has answered. */
  void write(long number, long intended) throws KubeException {
    int object = (int) (number % plan.count());
    api.send(
        Message.merge(
            collection() + "/" + name(object),
            "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}"
                .formatted(WriteStamp.ANNOTATION, WriteStamp.value(number, intended))));
  }

  /** Deletes the namespace with all objects in it. */
  void remove() throws KubeException {
    api.send(Message.deleteNamespace(namespace));
  }

  /** Returns the path of the collection. */
  String collection() {
    return "api/v1/namespaces/" + namespace + "/" + plan.kind().plural();
  }

  private static String name(int object) {
    return "bench-%06d".formatted(object);
  }

  private Message creation(int object, String query) {
    return Message.create(collection() + query, body(object));
  }

  private String body(int object) {
    String head =
        """
        "metadata":{"name":"%s","labels":{"%s":"%s"},"annotations":{"%s":"%s"}}\
        """
            .formatted(
                name(object),
                LABEL,
                LABEL_VALUE,
                WriteStamp.ANNOTATION,
                WriteStamp.value(object, 0));
    String fill = "x".repeat(padding);
    return switch (plan.kind()) {
      case CONFIGMAPS ->
          """
          {"apiVersion":"v1","kind":"ConfigMap",%s,"data":{"fill":"%s"}}\
          """
              .formatted(head, fill);
      case PODS ->
          """
          {"apiVersion":"v1","kind":"Pod",%s,"spec":{"nodeName":"%s",\
          "automountServiceAccountToken":false,\
          "containers":[{"name":"bench","image":"none","args":["%s"]}]}}\
          """
              .formatted(head, node(object % plan.busyNodes()), fill);
    };
  }
}
