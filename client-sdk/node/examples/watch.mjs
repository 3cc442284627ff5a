// Prints the pods of a namespace, and then each change to them.
import { connect } from "@watchgate/client";

const client = connect("127.0.0.1:7443");
for await (const change of client.watch({ resource: "pods", namespaces: ["shop"] })) {
  console.log(change.type, change.name, change.object?.status.phase);
}
