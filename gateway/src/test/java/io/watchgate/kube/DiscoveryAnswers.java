package io.watchgate.kube;

/**
 * Discovery of an apiserver with pods, deployments, widgets (a custom resource in two versions),
 * gadgets of an aggregated apiserver, and another aggregated apiserver that is down.
 */
final class DiscoveryAnswers {
  static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  static final String WIDGETS = DEFINITIONS + "/widgets.x.io";

  static final String WIDGET_DEFINITION =
      """
      {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
       "metadata":{"name":"widgets.x.io","uid":"u-1"},
       "spec":{"group":"x.io","versions":[
         {"name":"v2","selectableFields":[{"jsonPath":".spec.color"},{"jsonPath":".spec.size"}]},
         {"name":"v1"}]}}
      """;

  static final String NOTE_DEFINITION =
      WIDGET_DEFINITION
          .replace("widgets.x.io", "notes.y.io")
          .replace("u-1", "u-notes")
          .replace("\"x.io\"", "\"y.io\"");

  private static final String VERBS = "[\"get\",\"list\",\"watch\"]";

  private DiscoveryAnswers() {}

  /** Returns two aggregated documents (since 1.27). */
  static PathAnswers aggregated() {
    String core = group("", version("v1", "Current", resource("pods", "Pod", "pod", "po")));
    String groups =
        group(
                "apps",
                version(
                    "v1", "Current", resource("deployments", "Deployment", "deployment", "deploy")))
            + ","
            + group(
                "x.io",
                version("v2", "Current", resource("widgets", "Widget", "widget", "wg"))
                    + ","
                    + version("v1", "Current", resource("widgets", "Widget", "widget", "wg")))
            + ","
            + group(
                "own.io", version("v1", "Current", resource("gadgets", "Gadget", "gadget", "ga")))
            + ","
            + group("down.io", version("v1", "Stale", ""));
    return definitions().answer("/api", list(core)).answer("/apis", list(groups));
  }

  /**
   * Returns the same details of the core group in another order, as an apiserver of another version
   * has it.
   */
  static PathAnswers reordered() {
    String pods =
        """
        {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced",\
        "singularResource":"","shortNames":["pd","po"],"verbs":["watch","patch","list"]}\
        """;
    return new PathAnswers().answer("/api", list(group("", version("v1", "Current", pods))));
  }

  /** Returns the groups of an apiserver with another custom resource and nothing else. */
  static String groupsWithNotes() {
    return list(group("y.io", version("v1", "Current", resource("notes", "Note", "note", "no"))));
  }

  private static String list(String items) {
    return "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[" + items + "]}";
  }

  private static String group(String name, String versions) {
    return "{\"metadata\":{\"name\":\"%s\"},\"versions\":[%s]}".formatted(name, versions);
  }

  private static String version(String name, String freshness, String resources) {
    return "{\"version\":\"%s\",\"freshness\":\"%s\",\"resources\":[%s]}"
        .formatted(name, freshness, resources);
  }

  private static String resource(String plural, String kind, String singular, String shortName) {
    return """
    {"resource":"%s","responseKind":{"kind":"%s"},"scope":"Namespaced","singularResource":"%s",\
    "shortNames":["%s"],"verbs":%s,"subresources":[{"subresource":"status"}]}\
    """
        .formatted(plural, kind, singular, shortName, VERBS);
  }

  /** Returns one document for each version of each group (before 1.27). */
  static PathAnswers legacy() {
    return definitions()
        .answer("/api", "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}")
        .answer("/api/v1", resources(named("pods", "Pod", "pod", "po")))
        .answer(
            "/apis",
            """
            {"kind":"APIGroupList","groups":[
              {"name":"apps","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}},
              {"name":"x.io","versions":[{"version":"v1"},{"version":"v2"}],
               "preferredVersion":{"version":"v2"}},
              {"name":"own.io","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}},
              {"name":"down.io","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}}]}
            """)
        .answer(
            "/apis/apps/v1", resources(named("deployments", "Deployment", "deployment", "deploy")))
        .answer("/apis/x.io/v1", resources(named("widgets", "Widget", "widget", "wg")))
        .answer("/apis/x.io/v2", resources(named("widgets", "Widget", "widget", "wg")))
        .answer("/apis/own.io/v1", resources(named("gadgets", "Gadget", "gadget", "ga")))
        .answer(
            "/apis/down.io/v1",
            503,
            ApiserverStub.status(503, "ServiceUnavailable", "no endpoints available"));
  }

  private static String resources(String resources) {
    return "{\"kind\":\"APIResourceList\",\"resources\":[" + resources + "]}";
  }

  private static String named(String plural, String kind, String singular, String shortName) {
    return """
    {"name":"%s","kind":"%s","namespaced":true,"singularName":"%s","shortNames":["%s"],"verbs":%s},\
    {"name":"%s/status","kind":"%s","namespaced":true,"verbs":["get"]}\
    """
        .formatted(plural, kind, singular, shortName, VERBS, plural, kind);
  }

  private static PathAnswers definitions() {
    return new PathAnswers()
        .answer(WIDGETS, WIDGET_DEFINITION)
        .answer(
            DEFINITIONS,
            "{\"items\":[" + WIDGET_DEFINITION + "],\"metadata\":{\"resourceVersion\":\"9\"}}");
  }
}
