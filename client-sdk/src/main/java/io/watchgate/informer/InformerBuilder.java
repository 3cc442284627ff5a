package io.watchgate.informer;

import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Says what an informer holds. What is wrong with it, such as a selector that cannot be read, is
 * found by the gateway, and ends the informer ({@link Informer#error}). Not thread-safe.
 *
 * @param <T> what objects are decoded to
 */
public final class InformerBuilder<T> {
  private final ReflectorFactory reflectors;
  private final Decoder<T> decoder;
  private final Selection.Builder selection = Selection.newBuilder();
  private final Projection.Builder projection = Projection.newBuilder();
  private final Delivery.Builder delivery = Delivery.newBuilder();
  private final List<Index<T>> indexes = new ArrayList<>();
  private final List<Consumer<Informer<T>>> beginnings = new ArrayList<>();
  private Consumer<InformerProblem> problems = problem -> {};
  private String clientName = "";
  private String name;
  private MeterFactory meters = MeterFactory.none();

  InformerBuilder(ReflectorFactory reflectors, String type, Decoder<T> decoder) {
    this.reflectors = reflectors;
    this.name = type;
    this.decoder = decoder;
    int dot = type.indexOf('.');
    selection.setResourceType(
        ResourceType.newBuilder()
            .setResource(dot < 0 ? type : type.substring(0, dot))
            .setGroup(dot < 0 ? "" : type.substring(dot + 1)));
  }

  // ---- which objects

  /** Of this version of the type's group, instead of the one that the apiserver prefers. */
  public InformerBuilder<T> version(String version) {
    selection.getResourceTypeBuilder().setVersion(version);
    return this;
  }

  /** Only of this namespace; may be called several times, up to 64. */
  public InformerBuilder<T> inNamespace(String namespace) {
    selection.addNamespaces(namespace);
    return this;
  }

  /** Only those with such labels, as Kubernetes writes it: {@code app in (web,api),!canary}. */
  public InformerBuilder<T> withLabels(String selector) {
    selection.setLabelSelector(selector);
    return this;
  }

  /** Only those with such fields: {@code spec.nodeName=node-7}. */
  public InformerBuilder<T> withFields(String selector) {
    selection.setFieldSelector(selector);
    return this;
  }

  // ---- how they are sent

  /** Only this part of each; the decoder has to do with it. Default: all. */
  public InformerBuilder<T> view(ObjectView view) {
    projection.setView(view);
    return this;
  }

  /**
   * Only these parts of each, JSON pointers, beside what identifies it. Not together with a view.
   */
  public InformerBuilder<T> including(String... pointers) {
    projection.addAllIncludePointers(List.of(pointers));
    return this;
  }

  /**
   * Has changes sent as patches where these are smaller. The JSON of each object is then held
   * beside what it was decoded to, and each change costs parsing it.
   */
  public InformerBuilder<T> patches() {
    projection.setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH);
    return this;
  }

  /** What the gateway does where this informer does not keep up. Default: RESYNC. */
  public InformerBuilder<T> lagPolicy(LagPolicy policy) {
    delivery.setLagPolicy(policy);
    return this;
  }

  /** How long the gateway may wait for more changes before it sends one. Default: not at all. */
  public InformerBuilder<T> maxBatchDelay(Duration delay) {
    delivery.setMaxBatchDelay(
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(delay.getSeconds())
            .setNanos(delay.getNano()));
    return this;
  }

  /**
   * After how long at most the gateway says how far it is, 1 s to 5 min: so soon {@link
   * Informer#staleness} is known anew, and after three times of silence a stream is left. Default:
   * 30 s.
   */
  public InformerBuilder<T> bookmarksEvery(Duration interval) {
    delivery.setBookmarkInterval(
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(interval.getSeconds())
            .setNanos(interval.getNano()));
    return this;
  }

  /** Shown to the gateway's operators; at most 128 bytes. */
  public InformerBuilder<T> clientName(String name) {
    clientName = name;
    return this;
  }

  // ---- how it is seen

  /** In logs and metrics. Default: the type. */
  public InformerBuilder<T> name(String text) {
    name = text;
    return this;
  }

  /**
   * Shows its numbers there, labelled with its {@linkplain #name name}, until it is closed: give
   * each informer one of its own. Of those that share, each shows them. Default: nowhere.
   */
  public InformerBuilder<T> meters(MeterFactory registry) {
    meters = registry;
    return this;
  }

  // ---- what is made of them

  /**
   * Something to look objects up by.
   *
   * @see Index
   */
  public InformerBuilder<T> index(
      String name, Function<? super StoredObject<T>, ? extends Collection<String>> values) {
    indexes.add(new Index<>(name, values));
    return this;
  }

  /** One who is told everything from the beginning. */
  public InformerBuilder<T> handler(Handler<T> handler) {
    return handler(handler, HandlerSettings.DEFAULT);
  }

  /** The same in another way. */
  public InformerBuilder<T> handler(Handler<T> handler, HandlerSettings settings) {
    beginnings.add(informer -> informer.addHandler(handler, settings));
    return this;
  }

  /**
   * Told of problems, which are logged and counted as well; quick. Of informers that share, each is
   * told of the problems of all.
   */
  public InformerBuilder<T> onProblem(Consumer<InformerProblem> listener) {
    problems = listener;
    return this;
  }

  /**
   * Begins. The connection is made in the background.
   *
   * @throws IllegalArgumentException if two indexes have one name
   */
  public Informer<T> start() {
    ListAndWatchRequest request =
        ListAndWatchRequest.newBuilder()
            .setSelection(selection)
            .setProjection(projection)
            .setDelivery(delivery)
            .build();
    Informer<T> informer =
        reflectors.informer(
            new InformerKey<>(request, decoder, indexes),
            new InformerOptions(name, clientName, meters, problems));
    beginnings.forEach(beginning -> beginning.accept(informer));
    informer.start();
    return informer;
  }
}
