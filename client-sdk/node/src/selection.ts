import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ObjectView, ProjectionSchema, SelectionSchema } from "./gen/watchgate/v1/watch_pb.js";

/** Part of each object that is sent. */
export type View = "FULL" | "NO_MANAGED_FIELDS" | "METADATA" | "KEY";

/** Objects of one resource, and the parts of them that are sent. Only `resource` is required. */
export interface Selection {
  /** Plural, singular, short name or kind: `pods`. */
  readonly resource: string;
  /** API group, if the resource is in several. */
  readonly group?: string;
  /** Version, if not the one that the apiserver prefers. */
  readonly version?: string;
  /** Namespaces; without them all are selected. */
  readonly namespaces?: readonly string[];
  /** Label selector in the grammar of Kubernetes: `app in (web,api)`. */
  readonly labels?: string;
  /** Field selector in the grammar of Kubernetes: `spec.nodeName=node-7`. */
  readonly fields?: string;
  /** Part of each object that is sent; by default all of it. */
  readonly view?: View;
  /** JSON pointers: only these parts, and the metadata that identifies an object, are sent. Not together with `view`. */
  readonly include?: readonly string[];
}

/** Fields of a request for a selection. */
export interface SelectedFields {
  readonly selection: MessageInitShape<typeof SelectionSchema>;
  readonly projection: MessageInitShape<typeof ProjectionSchema>;
}

/** Returns the messages of the contract. Throws TypeError for a selection that cannot be meant. */
export function messagesOf(selection: Selection): SelectedFields {
  if (typeof selection?.resource !== "string" || !selection.resource) {
    throw new TypeError('a selection needs a resource: {resource: "pods"}');
  }
  for (const name of ["namespaces", "include"] as const) {
    if (typeof selection[name] === "string") throw new TypeError(`${name} is an array of texts, not one text`);
  }
  const { group = "", version = "", resource, namespaces = [], labels = "", fields = "", view, include = [] } = selection;
  if (view !== undefined && include.length) throw new TypeError("include and view exclude each other");
  if (view !== undefined && !(view in ObjectView)) throw new TypeError(`there is no view ${view}`);
  return {
    selection: create(SelectionSchema, {
      resourceType: { group, version, resource },
      namespaces: [...namespaces],
      labelSelector: labels,
      fieldSelector: fields,
    }),
    projection: create(ProjectionSchema, {
      view: include.length ? ObjectView.UNSPECIFIED : ObjectView[view ?? "FULL"],
      includePointers: [...include],
    }),
  };
}
