/**
 * Decoders for what programs work with already: any type that Jackson can make, the models of
 * fabric8's client, and those of the official Java client. Each is one class, and needs a library
 * that this one does not bring: whoever names the class has it on the class path.
 *
 * <p><b>Idea.</b> An informer calls its {@link io.watchgate.informer.Decoder} once for each state
 * of each object, and keeps the result: what a decoder leaves behind counts as many times as there
 * are objects. So the ready ones read the bytes as they are, without a tree in between, and equal
 * short texts of different objects (images, labels, names of nodes, {@code "TCP"}) are one ({@link
 * io.watchgate.decoder.SharedStrings}).
 *
 * <p><b>Threads.</b> All are thread-safe, so that one serves any number of informers.
 *
 * <p><b>Bounds.</b> What is remembered of texts is at most half a MiB for each way to decode.
 *
 * <p><b>Rejected.</b> An artifact for each library: three more to publish and to keep at one
 * version, for a class each. {@code String.intern}: its table is never smaller again while the
 * texts of pods come and go.
 */
@NullMarked
package io.watchgate.decoder;

import org.jspecify.annotations.NullMarked;
