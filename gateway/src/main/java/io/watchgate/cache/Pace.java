package io.watchgate.cache;

import java.util.random.RandomGenerator;

/** How a reflector tells time, draws lots and waits. */
record Pace(TimeSource time, RandomGenerator random, Waiting waiting) {}
