// A program for browsers whose types tsc checks against the installed package, without types of Node.
import { connect, type Store } from "@watchgate/client/web";

/** Shows the names of pods. */
export async function main(): Promise<void> {
  const client = connect("https://gateway.example:6443", { credentials: "include" });
  const pods: Store<{ metadata: { name: string } }> = client.reflect({ resource: "pods", view: "METADATA" });
  await pods.synced();
  document.body.textContent = pods.list().map((pod) => pod.metadata.name).join();
  await pods.close();
  client.close();
}
