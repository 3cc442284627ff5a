package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.client.WatchClient;
import io.watchgate.testing.FakeGateway;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that equal informers share one stream and one store, and nothing else. */
final class SharedInformersTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final FakeGateway gateway = FakeGateway.start();
  private WatchClient client;
  private SharedInformers informers;

  @BeforeEach
  void connect() {
    client = WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build();
    informers = new SharedInformers(client);
    gateway.put("shop", "web", "1");
  }

  @AfterEach
  void end() {
    informers.close();
    client.close();
    gateway.close();
  }

  private InformerBuilder<ByteString> pods() {
    return informers.informer("pods", Decoder.raw());
  }

  private static Informer<ByteString> synced(InformerBuilder<ByteString> builder) throws Exception {
    Informer<ByteString> informer = builder.start();
    informer.awaitSynced(LIMIT);
    return informer;
  }

  @Test
  void equalInformers_shareStreamAndStore() throws Exception {
    Informer<ByteString> first = synced(pods().clientName("one").name("first"));
    Informer<ByteString> second = synced(pods().clientName("other").name("second"));

    assertThat(second.snapshot()).isSameAs(first.snapshot());
    assertThat(gateway.requests()).hasSize(1);
    assertThat(informers.streamCount()).isEqualTo(1);
  }

  @Test
  void unequalInformers_shareNothing() throws Exception {
    Function<StoredObject<ByteString>, List<String>> length =
        object -> List.of(Integer.toString(object.value().size()));
    synced(pods());
    synced(pods().inNamespace("shop"));
    synced(pods().patches());
    synced(pods().maxBatchDelay(Duration.ofSeconds(1)));
    synced(pods().index("length", length));
    synced(informers.informer("configmaps", Decoder.raw()));
    Informer<String> decoded = informers.informer("pods", json -> json.toStringUtf8()).start();
    decoded.awaitSynced(LIMIT);

    assertThat(informers.streamCount()).isEqualTo(7);
    assertThat(gateway.requests()).hasSize(7);
    synced(pods().index("length", length));
    assertThat(informers.streamCount()).isEqualTo(7);
  }

  @Tag("slow")
  @Test
  void closingOneInformer_keepsHandlersOfOthers() throws Exception {
    RecordingHandler mine = new RecordingHandler();
    RecordingHandler yours = new RecordingHandler();
    Informer<ByteString> first = synced(pods().handler(mine));
    synced(pods().handler(yours));
    mine.awaitTold("add shop/web 1", "synced");
    yours.awaitTold("add shop/web 1", "synced");
    first.close();
    gateway.put("shop", "web", "2");

    yours.awaitTold("add shop/web 1", "synced", "update shop/web 1 to 2");
    assertThat(mine.calls()).containsExactly("add shop/web 1", "synced");
    assertThatThrownBy(() -> first.addHandler(mine)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void closingLastInformer_endsStream() throws Exception {
    Informer<ByteString> first = synced(pods());
    Informer<ByteString> second = synced(pods());
    first.close();
    first.close();
    assertThat(gateway.streamCount()).isEqualTo(1);
    second.close();

    await().until(() -> gateway.streamCount() == 0);
    assertThat(informers.streamCount()).isZero();
    assertThat(synced(pods()).snapshot().size()).isEqualTo(1);
  }

  @Test
  void closingOneInformer_endsOnlyItsWaiters() throws Exception {
    Informer<ByteString> first = synced(pods());
    Informer<ByteString> second = synced(pods());
    CompletableFuture<Throwable> left = waiting(first);
    CompletableFuture<Throwable> stays = waiting(second);
    first.close();

    assertThat(left.get(3, TimeUnit.MINUTES)).isInstanceOf(InformerEndedException.class);
    assertThat(stays).isNotDone();
    gateway.put("shop", "db", "1");
    assertThat(stays.get(3, TimeUnit.MINUTES)).isNull();
  }

  private static CompletableFuture<Throwable> waiting(Informer<ByteString> informer) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            informer.await(now -> now.size() == 2, LIMIT);
            return null;
          } catch (Exception e) {
            return e;
          }
        });
  }

  @Test
  void informerAfterEnd_getsNewReflector() throws Exception {
    gateway.refuse(Status.Code.PERMISSION_DENIED, "FORBIDDEN", "STOP");
    Informer<ByteString> refused = pods().start();
    await().until(() -> refused.error().isPresent());
    gateway.admit();
    Informer<ByteString> admitted = synced(pods());
    refused.close();
    gateway.put("shop", "db", "1");

    assertThat(admitted.await(now -> now.size() == 2, LIMIT)).isNotNull();
    assertThat(informers.streamCount()).isEqualTo(1);
  }

  @Test
  void openInformer_receivesAllProblems() throws Exception {
    List<InformerProblem> mine = new CopyOnWriteArrayList<>();
    List<InformerProblem> yours = new CopyOnWriteArrayList<>();
    Decoder<String> picky =
        json -> {
          if (json.isEmpty()) {
            throw new IllegalArgumentException("empty on purpose");
          }
          return json.toStringUtf8();
        };
    Informer<String> first = informers.informer("pods", picky).onProblem(mine::add).start();
    Informer<String> second = informers.informer("pods", picky).onProblem(yours::add).start();
    first.awaitSynced(LIMIT);
    gateway.put("shop", "db", "");
    await().until(() -> mine.size() == 1 && yours.size() == 1);
    first.close();
    gateway.put("shop", "mail", "");

    await().until(() -> yours.size() == 2);
    assertThat(mine).hasSize(1);
    assertThat(second.problemCount()).isEqualTo(2);
  }

  @Test
  void close_closesAllAndRefusesNew() throws Exception {
    Informer<ByteString> first = synced(pods());
    Informer<ByteString> other = synced(pods().inNamespace("shop"));
    informers.close();

    await().until(() -> gateway.streamCount() == 0);
    for (Informer<ByteString> closed : List.of(first, other)) {
      assertThatThrownBy(() -> closed.await(now -> false, LIMIT))
          .isInstanceOf(InformerEndedException.class);
    }
    assertThatThrownBy(() -> pods().start()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_closesInformersThatHaveEnded() throws Exception {
    gateway.refuse(Status.Code.PERMISSION_DENIED, "FORBIDDEN", "STOP");
    Informer<ByteString> refused = pods().start();
    await().until(() -> refused.error().isPresent());
    gateway.admit();
    Informer<ByteString> admitted = synced(pods());
    informers.close();

    for (Informer<ByteString> closed : List.of(refused, admitted)) {
      assertThatThrownBy(() -> closed.addHandler(new Handler<>() {}))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void decoderWithChangingEquality_leavesNoStream() throws Exception {
    AtomicInteger hash = new AtomicInteger(1);
    Decoder<ByteString> changing =
        new Decoder<>() {
          @Override
          public ByteString decode(ByteString json) {
            return json;
          }

          @Override
          public int hashCode() {
            return hash.get();
          }

          @Override
          public boolean equals(Object other) {
            return other == this && hash.get() == 1;
          }
        };
    try (Informer<ByteString> informer = informers.informer("pods", changing).start()) {
      informer.awaitSynced(LIMIT);
      hash.set(2);
    }
    assertThat(informers.streamCount()).isZero();
  }
}
