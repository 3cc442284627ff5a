/**
 * In-process gateway for tests of programs that watch through a gateway. {@link
 * io.watchgate.testing.FakeGateway} holds a few objects of one type, serves them as a gateway does,
 * and lets a test simulate faults.
 *
 * <p><b>Threads.</b> Everything runs under one lock, on the calling thread. <b>Bounds.</b> None:
 * the entire history is kept. <b>Rejected:</b> a script of responses: tests would describe the
 * protocol instead of events. A test that needs a certain response uses {@link
 * io.watchgate.testing.FakeGateway#send}.
 */
@NullMarked
package io.watchgate.testing;

import org.jspecify.annotations.NullMarked;
