/**
 * The sandbox beside a real kube-apiserver: the same requests to both, the same answers, lists and
 * watches from both, but for what each server makes up itself (uids, versions, times, addresses).
 */
@NullMarked
package io.watchgate.e2e.sandbox;

import org.jspecify.annotations.NullMarked;
