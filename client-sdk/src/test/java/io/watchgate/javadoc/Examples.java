package io.watchgate.javadoc;

import com.google.protobuf.ByteString;
import io.micrometer.core.instrument.MeterRegistry;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchStream;
import io.watchgate.client.WatchUpdate;
import io.watchgate.controller.Controller;
import io.watchgate.controller.Outcome;
import io.watchgate.controller.WorkQueue;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.Informer;
import io.watchgate.informer.ObjectKey;
import io.watchgate.informer.SharedInformers;
import io.watchgate.informer.Stored;
import io.watchgate.micrometer.MicrometerMeters;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.testing.FakeGateway;
import java.util.Optional;

/** The examples of the Javadoc, so that they compile. */
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

  static void working(WorkQueue<ObjectKey> queue) throws InterruptedException {
    for (Optional<ObjectKey> next = queue.take(); next.isPresent(); next = queue.take()) {
      try {
        work(next.get());
        queue.succeeded(next.get());
      } catch (RuntimeException e) {
        queue.failed(next.get());
      }
    }
  }

  private static void work(ObjectKey key) {
    System.out.println(key);
  }

  static void controlling(WatchClient client, Informer<Pod> pods) {
    Controller controller =
        Controller.of(
            key -> {
              Optional<Stored<Pod>> pod = pods.snapshot().get(key);
              System.out.println(pod.isPresent());
              return Outcome.done();
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
}
