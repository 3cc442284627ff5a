package io.watchgate.informer;

import java.util.function.Consumer;

/**
 * Options that belong to one informer, even if it shares its store.
 *
 * @param name name in logs and metrics
 * @param clientName name for the gateway's operators; of informers that share, the first one counts
 */
record InformerOptions(
    String name, String clientName, MeterFactory meters, Consumer<InformerProblem> onProblem) {}
