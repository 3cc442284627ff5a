package io.watchgate.javadoc;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.MeterRegistry;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchStream;
import io.watchgate.client.WatchUpdate;
import io.watchgate.controller.Controller;
import io.watchgate.controller.Result;
import io.watchgate.controller.WorkQueue;
import io.watchgate.decoder.Fabric8Decoder;
import io.watchgate.decoder.JacksonDecoder;
import io.watchgate.decoder.OfficialDecoder;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.Informer;
import io.watchgate.informer.LabelSelector;
import io.watchgate.informer.Labels;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.SharedInformers;
import io.watchgate.informer.StoredObject;
import io.watchgate.micrometer.MicrometerMeters;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.testing.FakeGateway;
import java.util.List;
import java.util.Optional;

/** Compiled copies of the Javadoc examples. */
@SuppressWarnings("unused")
final class Examples {
  private static final Decoder<Pod> PODS = Pod::new;

  record Pod(ByteString json) {}

  private Examples() {}

  static void sharing(WatchClient client) {
    SharedInformers informers = new SharedInformers(client);
    Informer<Pod> mine = informers.informer("pods", PODS).start();
    Informer<Pod> yours = informers.informer("pods", PODS).start(); // costs nothing more
  }

  static void reading(WatchClient client, ListAndWatchRequest request) {
    try (WatchStream stream = client.open(request)) {
      for (WatchUpdate update : stream) {
        System.out.println(update.getClass());
      }
    }
  }

  static void working(WorkQueue<NamespacedName> queue) throws InterruptedException {
    for (Optional<NamespacedName> next = queue.take(); next.isPresent(); next = queue.take()) {
      try {
        work(next.get());
        queue.succeeded(next.get());
      } catch (RuntimeException e) {
        queue.failed(next.get());
      }
    }
  }

  private static void work(NamespacedName key) {
    System.out.println(key);
  }

  static void controlling(WatchClient client, Informer<Pod> pods) {
    Controller controller =
        Controller.of(
            key -> {
              Optional<StoredObject<Pod>> pod = pods.snapshot().get(key);
              System.out.println(pod.isPresent());
              return Result.done();
            });
    controller.watch(pods);
    controller.start(4, client.executor());
  }

  static void metering(WatchClient client, Decoder<Pod> decoder, MeterRegistry registry) {
    Informer.of(client, "pods", decoder).meters(new MicrometerMeters(registry)).start();
  }

  static void testing() {
    try (FakeGateway gateway = FakeGateway.start();
        WatchClient client =
            WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build()) {
      gateway.put("shop", "web", "{}");
      client.listResourceTypes(java.time.Duration.ofSeconds(1));
      gateway.cut();
    }
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Deployment(Spec spec) {
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Spec(int replicas) {}
  }

  static void decodingByJackson(WatchClient client) {
    Informer<Deployment> informer =
        Informer.of(
                client, "deployments.apps", JacksonDecoder.of(new ObjectMapper(), Deployment.class))
            .including("/spec/replicas")
            .start();
  }

  static void decodingToTrees(WatchClient client) {
    Informer<JsonNode> pods =
        Informer.of(client, "pods", JacksonDecoder.tree(new ObjectMapper())).start();
    Optional<String> phase =
        pods.snapshot()
            .get("default", "web-0")
            .map(pod -> pod.value().at("/status/phase").textValue());
  }

  static void decodingToModelsOfFabric8(WatchClient client) {
    Informer<io.fabric8.kubernetes.api.model.Pod> pods =
        Informer.of(client, "pods", Fabric8Decoder.of(io.fabric8.kubernetes.api.model.Pod.class))
            .start();
    Optional<String> phase =
        pods.snapshot().get("default", "web-0").map(pod -> pod.value().getStatus().getPhase());
  }

  static void decodingToModelsOfTheOfficialClient(WatchClient client) {
    Informer<V1Pod> pods =
        Informer.of(client, "pods", OfficialDecoder.of(V1Pod.class))
            .view(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS)
            .start();
    Optional<String> phase =
        pods.snapshot().get("default", "web-0").map(pod -> pod.value().getStatus().getPhase());
  }

  static void selecting(Informer<ByteString> pods) {
    LabelSelector canaries = LabelSelector.parse("app in (web,api),track=canary");
    List<StoredObject<ByteString>> found = pods.snapshot().list(canaries, Labels::ofJson);
  }
}
