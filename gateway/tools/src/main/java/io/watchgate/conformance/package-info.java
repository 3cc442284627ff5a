/**
 * Conformance suite for clients: a gateway that plays scripted streams, and the comparison of what
 * a client printed with what the contract makes of them. The cases are files of JSON in the folder
 * {@code conformance} of the project; its README has their format and that of a client's output.
 *
 * <p>A case is a value ({@link io.watchgate.conformance.ConformanceCase}). {@link
 * io.watchgate.conformance.CaseRun} plays it to one process of the client, on a thread of the
 * caller; cases share nothing, so that any number may run at a time.
 */
@NullMarked
package io.watchgate.conformance;

import org.jspecify.annotations.NullMarked;
