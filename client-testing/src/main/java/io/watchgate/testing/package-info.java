/**
 * A gateway in the process of a test, for tests of what watches through one: {@link
 * io.watchgate.testing.FakeGateway} holds a few objects of one type, serves them as a gateway does,
 * and lets a test break what breaks in the world.
 *
 * <p><b>Threads.</b> Everything is done under one lock, by whoever calls. <b>Bounds.</b> None: all
 * that ever happened is kept. <b>Rejected:</b> a script of responses, one after the other: tests
 * then say how the protocol goes instead of what happens; where one has to, there is {@link
 * io.watchgate.testing.FakeGateway#send}.
 */
@NullMarked
package io.watchgate.testing;

import org.jspecify.annotations.NullMarked;
