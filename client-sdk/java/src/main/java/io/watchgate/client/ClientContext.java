package io.watchgate.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Dependencies and settings that all calls of a client share.
 *
 * @param executor executor that calls the listeners
 * @param budget rate limit of attempts to open streams, for all calls together
 * @param maxGroupBytes limit of each call
 * @param firstAnswerTimeout timeout of each call while no gateway has answered any of them
 */
record ClientContext(
    ReplicaSelector replicas,
    Scheduler timers,
    Executor executor,
    RandomGenerator random,
    RetryBudget budget,
    long maxGroupBytes,
    Duration firstAnswerTimeout) {}
