/**
 * Comparison of the sandbox with a real kube-apiserver: both receive the same requests and must
 * return the same answers, lists and watches, except for values that each server generates itself
 * (uids, versions, times, addresses).
 */
@NullMarked
package io.watchgate.e2e.sandbox;

import org.jspecify.annotations.NullMarked;
