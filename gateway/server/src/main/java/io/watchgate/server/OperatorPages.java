package io.watchgate.server;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.auth.AccessController;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.RouterRegistry;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.ops.pages.DebugPage;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.ExplainPage;
import io.watchgate.ops.pages.FeedsPage;
import io.watchgate.ops.pages.GrantsPage;
import io.watchgate.ops.pages.OverviewPage;
import io.watchgate.ops.pages.RateHistory;
import io.watchgate.ops.pages.RecordingPage;
import io.watchgate.ops.pages.StatusPage;
import io.watchgate.ops.pages.StreamsPage;
import io.watchgate.ops.pages.TypesPage;
import io.watchgate.ops.pages.UpstreamEvents;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** Composition of the pages for operators, and the records that they keep. */
final class OperatorPages {
  private final EndedStreams recentStreams = new EndedStreams();
  private final UpstreamEvents upstreamEvents = new UpstreamEvents(InstantSource.system());
  private final RateHistory rates;

  /**
   * @param registry metrics of the gateway
   */
  OperatorPages(PrometheusRegistry registry, ScheduledExecutorService timer) {
    this.rates = new RateHistory(registry, InstantSource.system());
    rates.start(timer);
  }

  EndedStreams recentStreams() {
    return recentStreams;
  }

  UpstreamEvents upstreamEvents() {
    return upstreamEvents;
  }

  /**
   * Returns the pages.
   *
   * @param loops event loops of all streams that are served now
   */
  DebugPages of(
      StatusPage status,
      Supplier<List<StreamLoop>> loops,
      TypeRegistry types,
      RouterRegistry routers,
      AccessController access) {
    StreamsPage streamsPage = new StreamsPage(loops, recentStreams);
    TypesPage typesPage = new TypesPage(types, routers, upstreamEvents);
    List<DebugPage> pages =
        new ArrayList<>(
            new OverviewPage(InstantSource.system(), status, typesPage, streamsPage, rates)
                .pages());
    pages.addAll(status.pages());
    pages.add(streamsPage.page());
    pages.add(new FeedsPage(routers).page());
    pages.add(new GrantsPage(access).page());
    pages.addAll(typesPage.pages());
    pages.add(new ExplainPage(types).page());
    pages.add(new RecordingPage().page());
    return new DebugPages(pages, rates);
  }
}
