package io.watchgate.bench;

import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.RawAnswer;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.RawApiClient.Message;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Readers that watch the apiserver directly, as clients do without a gateway. Each connection has a
 * client of its own, each watch a virtual thread.
 */
final class DirectFleet implements Fleet {
  private static final long JOIN_MILLIS = 2_000;

  private final BenchPlan plan;
  private final TestObjects objects;
  private final ClientConfig apiserver;
  private final String version;
  private final RunClock clock;
  private final MeasurementWindow measurementWindow;
  private final StreamRequests requests;
  private final List<RawApiClient> connections = new ArrayList<>();
  private final List<DirectReader> readers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * @param version resourceVersion of the object created last; the watches begin after it
   */
  DirectFleet(
      BenchPlan plan,
      TestObjects objects,
      ClientConfig apiserver,
      String version,
      RunClock clock,
      MeasurementWindow measurementWindow) {
    this.plan = plan;
    this.objects = objects;
    this.apiserver = apiserver;
    this.version = version;
    this.clock = clock;
    this.measurementWindow = measurementWindow;
    this.requests = new StreamRequests(plan, objects.namespace(), version);
  }

  @Override
  public void open() throws IOException, InterruptedException {
    try {
      for (int i = 0; i < plan.readers().connections(); i++) {
        connections.add(RawApiClient.of(apiserver, KubeSettings.DEFAULT));
      }
      for (int reader = 0; reader < plan.readers().streams(); reader++) {
        open(reader);
      }
    } catch (ConfigException | KubeException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private void open(int reader) throws KubeException {
    RawAnswer stream =
        connections
            .get(reader % connections.size())
            .open(
                Message.get(
                    objects.collection()
                        + "?watch=1&allowWatchBookmarks=true&resourceVersion="
                        + version
                        + "&labelSelector="
                        + encoded(requests.labelSelector(reader))
                        + "&fieldSelector="
                        + encoded(requests.fieldSelector(reader))));
    DeliveryTracker tracker = new DeliveryTracker(plan.expectedMatches(reader));
    tracker.beginBeforeAllWrites();
    DirectReader opened =
        new DirectReader(stream, tracker, new LatencyRecorder(clock, measurementWindow));
    readers.add(opened);
    threads.add(Thread.ofVirtual().name(BenchEventLoops.THREADS).start(opened));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  public void leave() {}

  @Override
  public double reopen(IntUnaryOperator lastRound) {
    return Double.NaN;
  }

  @Override
  public double joinAndLeave() {
    return Double.NaN;
  }

  @Override
  public double join() {
    return Double.NaN;
  }

  @Override
  public DeliveryCounts counts() {
    DeliveryCounts sum = DeliveryCounts.NONE;
    for (DirectReader reader : readers) {
      sum = sum.plus(reader.recorder().counts());
    }
    return sum;
  }

  private long endedStreams() {
    return readers.stream().filter(DirectReader::hasEnded).count();
  }

  @Override
  public String lastEnd() {
    return endedStreams() == 0 ? "" : "the apiserver ended the watch";
  }

  @Override
  public long reconnects() {
    return 0;
  }

  @Override
  public boolean isComplete(IntUnaryOperator lastRound) {
    return readers.stream().allMatch(reader -> reader.tracker().isComplete(lastRound));
  }

  @Override
  public void close() throws InterruptedException {
    readers.forEach(DirectReader::close);
    for (Thread thread : threads) {
      thread.join(JOIN_MILLIS);
    }
    connections.forEach(RawApiClient::close);
  }

  @Override
  public LossReport losses(IntUnaryOperator lastRound) {
    LossReport losses = new LossReport(0, 0, 0, 0, 0, endedStreams());
    for (DirectReader reader : readers) {
      losses = losses.plus(reader.tracker().losses(lastRound));
    }
    return losses;
  }

  @Override
  public LatencyHistogram latencies() {
    LatencyHistogram all = new LatencyHistogram();
    readers.forEach(reader -> all.add(reader.recorder().latencies()));
    return all;
  }
}
