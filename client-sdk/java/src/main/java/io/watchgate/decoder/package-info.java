/**
 * Decoders for common types: any type that Jackson supports, the models of fabric8's client, and
 * the models of the official Java client. Each decoder is one class and needs a library that this
 * artifact does not bring: a program that uses the class has the library on its class path.
 *
 * <p><b>Idea.</b> An informer calls its {@link io.watchgate.informer.Decoder} once for each state
 * of each object and stores the result, so its memory counts once for each object. So these
 * decoders read the bytes directly, without a tree in between, and equal short strings of different
 * objects (images, labels, names of nodes, {@code "TCP"}) are shared ({@link
 * io.watchgate.decoder.SharedStrings}).
 *
 * <p><b>Threads.</b> All decoders are thread-safe, so any number of informers may use one.
 *
 * <p><b>Bounds.</b> The cached strings use at most half a MiB for each kind of decoder.
 *
 * <p><b>Rejected.</b> One artifact for each library: three more artifacts to publish and to keep at
 * one version, for one class each. {@code String.intern}: its table never shrinks, while the
 * strings of pods change all the time.
 */
@NullMarked
package io.watchgate.decoder;

import org.jspecify.annotations.NullMarked;
