/**
 * Grammar of Kubernetes label selectors, for the client and the gateway.
 *
 * <p>{@link io.watchgate.labels.LabelSelectorParser} accepts exactly what the apiserver accepts,
 * even odd texts: {@code in} is a key at the position of a key, and between two commas is the empty
 * value. An error has two texts: the apiserver's own text, which the gateway sends, and a short
 * text for callers of the client.
 *
 * <p><b>Threads.</b> A parser is for one thread. All other classes are immutable.
 *
 * <p><b>Bounds.</b> A parser needs memory and time in proportion to the text. Its caller limits the
 * text and counts the requirements.
 */
@NullMarked
package io.watchgate.labels;

import org.jspecify.annotations.NullMarked;
