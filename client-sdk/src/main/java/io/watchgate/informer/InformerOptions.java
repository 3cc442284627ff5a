package io.watchgate.informer;

import java.util.function.Consumer;

/**
 * What is one informer's own, though it shares what it holds.
 *
 * @param name in logs and metrics
 * @param clientName shown to the gateway's operators by the first of those who share
 */
record InformerOptions(
    String name, String clientName, MeterFactory meters, Consumer<InformerProblem> onProblem) {}
