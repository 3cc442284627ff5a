package io.watchgate.informer;

import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.controller.Controller;
import io.watchgate.controller.Outcome;
import java.time.Duration;
import java.util.Optional;

/** The example in README.md, so that it compiles. */
final class ControllerExample {
  private ControllerExample() {}

  static void run(WatchClient client) throws Exception {
    Informer<ByteString> pods =
        Informer.of(client, "pods", Decoder.raw()).withLabels("app=web").start();
    pods.awaitSynced(Duration.ofSeconds(30));
    Controller controller =
        Controller.of(
                key -> {
                  Optional<Stored<ByteString>> pod = pods.snapshot().get(key);
                  System.out.println(key + (pod.isPresent() ? " is there" : " is gone"));
                  return Outcome.done();
                })
            .watch(pods);
    controller.start(2, client.executor());
  }
}
