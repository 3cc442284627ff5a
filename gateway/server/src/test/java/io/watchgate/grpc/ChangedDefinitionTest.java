package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A custom type that is open while its definition gets its selectable fields in another order. */
final class ChangedDefinitionTest {
  private static final ResourceType TYPE =
      ResourceType.newBuilder().setResource("configmaps").build();

  private final ServerFixture fixture =
      new ServerFixture(
          SampleObject.of("ns", "one", 50).padding(1), SampleObject.of("ns", "two", 51).padding(2));

  @AfterEach
  void close() {
    fixture.close();
  }

  private static TypeDefinition with(String... selectableFields) {
    TypeDefinition plain = CacheWriter.DEFINITION;
    return new TypeDefinition(
        plain.type(),
        plain.singular(),
        plain.shortNames(),
        plain.verbs(),
        "uid of the definition",
        List.of(selectableFields));
  }

  private static Selection selection(String fieldSelector) {
    return Selection.newBuilder().setResourceType(TYPE).setFieldSelector(fieldSelector).build();
  }

  private RawStream open(String fieldSelector) throws InterruptedException {
    RawStream stream =
        RawStream.open(
            fixture.connect(),
            ListAndWatchRequest.newBuilder().setSelection(selection(fieldSelector)).build());
    await().until(stream::isSynced);
    return stream;
  }

  private static List<String> names(RawStream stream) {
    return stream.responses().stream()
        .map(ListAndWatchResponse::getEventsList)
        .flatMap(List::stream)
        .map(ChangedDefinitionTest::name)
        .toList();
  }

  private static String name(WatchEvent event) {
    return event.getKey().getName();
  }

  @Test
  void selectors_compareTheirOwnFields() throws Exception {
    fixture.cluster.definition = with("data.a", "kind");
    open(""); // the cache reads its objects with this order
    fixture.cluster.definition = with("kind", "data.a");

    RawStream stream = open("data.a=xx,kind=ConfigMap");
    assertThat(names(stream)).containsExactly("two");
    ListObjectsResponse page =
        WatchServiceGrpc.newBlockingStub(fixture.connect())
            .listObjects(
                ListObjectsRequest.newBuilder()
                    .setSelection(selection("data.a=x,kind=ConfigMap"))
                    .build());
    assertThat(page.getObjectsList())
        .extracting(object -> object.getKey().getName())
        .containsExactly("one");

    fixture.cluster.put(SampleObject.of("ns", "one", 101).padding(2));
    await().untilAsserted(() -> assertThat(names(stream)).containsExactly("two", "one"));
  }
}
