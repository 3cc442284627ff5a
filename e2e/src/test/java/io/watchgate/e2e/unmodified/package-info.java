/**
 * Tests with unmodified third-party programs: kubectl, and informers and watches of client-go,
 * fabric8, kube-rs, kubernetes_asyncio and the official clients of Java, JavaScript and Python,
 * with any server of the Kubernetes API. The tests show that the server has what these programs
 * need.
 */
@NullMarked
package io.watchgate.e2e.unmodified;

import org.jspecify.annotations.NullMarked;
