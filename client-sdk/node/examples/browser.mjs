// Shows the pods of a namespace in a page, and follows their changes.
import { connect } from "@watchgate/client/web";

const client = connect("http://127.0.0.1:6443");
const pods = client.reflect({ resource: "pods", namespaces: ["shop"], view: "METADATA" });
const list = document.querySelector("ul");
for await (const { name, new: now } of pods.changes()) {
  document.getElementById(name)?.remove();
  if (!now) continue;
  const item = list.appendChild(document.createElement("li"));
  item.id = name;
  item.textContent = `${name} ${now.metadata.resourceVersion}`;
}
