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
 * Builder of an informer: selection, projection, handlers and indexes. Errors in the request, such
 * as an invalid selector, are detected by the gateway and end the informer ({@link
 * Informer#error}). Not thread-safe.
 *
 * @param <T> type of the decoded objects
 */
public final class InformerBuilder<T> {
  private final ReflectorFactory reflectors;
  private final Decoder<T> decoder;
  private final Selection.Builder selection = Selection.newBuilder();
  private final Projection.Builder projection = Projection.newBuilder();
  private final Delivery.Builder delivery = Delivery.newBuilder();
  private final List<Index<T>> indexes = new ArrayList<>();
  private final List<Consumer<Informer<T>>> initialHandlers = new ArrayList<>();
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

  // ---- selection

  /** Selects a version of the type's group, instead of the apiserver's preferred version. */
  public InformerBuilder<T> version(String version) {
    selection.getResourceTypeBuilder().setVersion(version);
    return this;
  }

  /**
   * Selects objects of this namespace only; may be called several times, for up to 64 namespaces.
   */
  public InformerBuilder<T> inNamespace(String namespace) {
    selection.addNamespaces(namespace);
    return this;
  }

  /** Selects objects by a label selector in Kubernetes syntax: {@code app in (web,api),!canary}. */
  public InformerBuilder<T> withLabels(String selector) {
    selection.setLabelSelector(selector);
    return this;
  }

  /** Selects objects by a field selector: {@code spec.nodeName=node-7}. */
  public InformerBuilder<T> withFields(String selector) {
    selection.setFieldSelector(selector);
    return this;
  }

  // ---- delivery

  /**
   * Requests only this view of each object; the decoder must accept it. Default: the entire object.
   */
  public InformerBuilder<T> view(ObjectView view) {
    projection.setView(view);
    return this;
  }

  /**
   * Requests only these parts of each object, JSON pointers, in addition to its identity. Not
   * allowed together with a view.
   */
  public InformerBuilder<T> including(String... pointers) {
    projection.addAllIncludePointers(List.of(pointers));
    return this;
  }

  /**
   * Requests changes as patches where a patch is smaller. The informer then keeps the JSON of each
   * object in addition to the decoded object, and parses the JSON on each change.
   */
  public InformerBuilder<T> patches() {
    projection.setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH);
    return this;
  }

  /** Sets the gateway's policy if this informer lags. Default: RESYNC. */
  public InformerBuilder<T> lagPolicy(LagPolicy policy) {
    delivery.setLagPolicy(policy);
    return this;
  }

  /**
   * Sets how long the gateway may delay a change to batch it with later changes. Default: no delay.
   */
  public InformerBuilder<T> maxBatchDelay(Duration delay) {
    delivery.setMaxBatchDelay(
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(delay.getSeconds())
            .setNanos(delay.getNano()));
    return this;
  }

  /**
   * Sets the longest interval between bookmarks of the gateway, 1 s to 5 min. Each bookmark updates
   * {@link Informer#staleness}; a stream that is silent for three intervals is replaced. Default:
   * 30 s.
   */
  public InformerBuilder<T> bookmarksEvery(Duration interval) {
    delivery.setBookmarkInterval(
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(interval.getSeconds())
            .setNanos(interval.getNano()));
    return this;
  }

  /** Sets the name that the gateway's operators see; at most 128 bytes. */
  public InformerBuilder<T> clientName(String name) {
    clientName = name;
    return this;
  }

  // ---- logs and metrics

  /** Sets the name in logs and metrics. Default: the type. */
  public InformerBuilder<T> name(String text) {
    name = text;
    return this;
  }

  /**
   * Registers the informer's meters until it is closed, labelled with its {@linkplain #name name},
   * so give each informer its own name. If informers share a stream, each of them reports the
   * shared numbers. Default: no meters.
   */
  public InformerBuilder<T> meters(MeterFactory registry) {
    meters = registry;
    return this;
  }

  // ---- indexes and handlers

  /**
   * Adds an index.
   *
   * @see Index
   */
  public InformerBuilder<T> index(
      String name, Function<? super StoredObject<T>, ? extends Collection<String>> values) {
    indexes.add(new Index<>(name, values));
    return this;
  }

  /** Adds a handler that receives all objects and changes from the start. */
  public InformerBuilder<T> handler(Handler<T> handler) {
    return handler(handler, HandlerSettings.DEFAULT);
  }

  /** Adds a handler with delivery settings. */
  public InformerBuilder<T> handler(Handler<T> handler, HandlerSettings settings) {
    initialHandlers.add(informer -> informer.addHandler(handler, settings));
    return this;
  }

  /**
   * Adds a listener for problems, which are also logged and counted; must be quick. If informers
   * share a stream, each listener receives the problems of all.
   */
  public InformerBuilder<T> onProblem(Consumer<InformerProblem> listener) {
    problems = listener;
    return this;
  }

  /**
   * Starts the informer. The connection is made in the background.
   *
   * @throws IllegalArgumentException if two indexes have the same name
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
    initialHandlers.forEach(beginning -> beginning.accept(informer));
    informer.start();
    return informer;
  }
}
