package io.watchgate.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the calls of a client share.
 *
 * @param executor where their listeners are called
 * @param budget of attempts to open streams, for all of them together
 * @param maxGroupBytes for each
 * @param firstAnswerTimeout of each, while no gateway has answered any of them
 */
record ClientContext(
    ReplicaSelector replicas,
    Scheduler timers,
    Executor executor,
    RandomGenerator random,
    RetryBudget budget,
    long maxGroupBytes,
    Duration firstAnswerTimeout) {}
