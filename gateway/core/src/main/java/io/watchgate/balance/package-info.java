/**
 * Balancing of a gateway's streams over its replicas, without communication between replicas.
 *
 * <p><b>The idea.</b> Each replica publishes its stream count in a {@link
 * io.watchgate.balance.LoadRegistry} (Leases at the apiserver), and reads the counts of the others.
 * A replica that is clearly above the mean, or sees another one clearly below it, sheds what it has
 * above the mean ({@link io.watchgate.balance.Balancer}). It sheds streams that have caught up and
 * so lose nothing by resuming elsewhere, the oldest first. Streams that were opened lately stay, so
 * that no client is sent from replica to replica. While one replica lacks streams, those above the
 * mean refuse clients that state that they know other replicas. Such clients then reach the replica
 * that lacks streams, and not others above the mean.
 *
 * <p>A replica keeps its streams while it lacks information: while another replica is silent, has
 * just appeared, or has not published since the count by which this replica decides. That count is
 * the lowest of its last three rounds. Streams that were opened since that count may have come from
 * a replica that has died, and other replicas may have got as many that are not published yet.
 *
 * <p><b>Threads.</b> One virtual thread, which is idle most of the time; everything here is
 * confined to it.
 *
 * <p><b>Bounds.</b> Two requests per round and replica. The memory for other replicas grows with
 * the entries in the registry; entries that have been silent for long are removed.
 *
 * <p><b>Rejected.</b> Replicas that ask each other: they would have to find, reach and trust each
 * other, and a client that one replica refuses still has to be sent to the next. A balancer in
 * front: it sees connections, not streams. Closing streams by age alone: it does even them out, but
 * within half an hour, and by chance.
 */
@NullMarked
package io.watchgate.balance;

import org.jspecify.annotations.NullMarked;
