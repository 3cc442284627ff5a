/**
 * The informer of the SDK beside those of fabric8 and of the official Java client, on one real
 * kube-apiserver.
 *
 * <p><b>Idea.</b> {@link io.watchgate.e2e.informers.InformersBenchmark} has each of them hold the
 * same pods in a JVM of its own, whose class path has nothing but what that side needs ({@code
 * Libraries}). A measured JVM ({@code Measured}) says when it is synced, and answers what its heap
 * is and what its handler was told; time, CPU and resident memory are taken from outside, by the
 * operating system's books. The writer is the benchmark's JVM.
 *
 * <p><b>Alike for all.</b> The same flags, TLS, the same handler, and the same meaning of synced:
 * the handler was told of every pod, and the store says that it is complete. The gateway is the
 * command {@code watchgate serve} in a process of its own, which is there only while our own sides
 * are measured.
 *
 * <p><b>Rejected.</b> One JVM for all, one after the other: the second finds a compiled JDK, and
 * the heap of the first. The class path of the tests: libraries in versions that no user of that
 * client has.
 */
@NullMarked
package io.watchgate.e2e.informers;

import org.jspecify.annotations.NullMarked;
