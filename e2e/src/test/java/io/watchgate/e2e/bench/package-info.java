/** Benchmarks that need a real kube-apiserver. They print figures and assert nothing. */
@NullMarked
package io.watchgate.e2e.bench;

import org.jspecify.annotations.NullMarked;
