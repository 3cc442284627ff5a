package io.watchgate.cache;

import java.util.random.RandomGenerator;

/** How a reflector tells time, draws lots, waits, and knows whether it ran all the time. */
record Pace(TimeSource time, RandomGenerator random, Waiting waiting, PauseDetector pauses) {}
