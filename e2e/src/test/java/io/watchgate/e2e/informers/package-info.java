/**
 * Benchmark of the SDK's informer against those of fabric8 and of the official Java client, on one
 * real kube-apiserver.
 *
 * <p><b>Idea.</b> {@link io.watchgate.e2e.informers.InformersBenchmark} lets each library hold the
 * same pods in a separate JVM, whose class path has only the dependencies of that library ({@code
 * Libraries}). A measured JVM ({@code MeasuredProgram}) reports when it is synced, its heap and its
 * handler's events. Time, CPU and resident memory are measured from outside by the operating
 * system. The writer is the benchmark's JVM.
 *
 * <p><b>Same conditions.</b> All have the same flags, TLS, the same handler, and the same meaning
 * of synced: the handler has received every pod, and the store reports that it is complete. The
 * gateway is the command {@code watchgate serve} in a separate process, which runs only while the
 * SDK is measured.
 *
 * <p><b>Rejected.</b> One JVM for all, one after the other: the second would find a compiled JDK,
 * and the heap of the first. The class path of the tests: it has libraries in versions that no user
 * of that client has.
 */
@NullMarked
package io.watchgate.e2e.informers;

import org.jspecify.annotations.NullMarked;
