import type { Problem } from "../events.ts";
import { declaresProperty, says } from "./declared.ts";
import { nameOf } from "./messages.ts";
import type { Node } from "./node.ts";
import { isObject, pointer, setOwn } from "./value.ts";

/** Keys that no schema declares, in objects whose properties are declared. */
export function extraProblems(root: Node, value: unknown): Problem[] {
  const problems: Problem[] = [];
  const keys: (string | number)[] = [];
  const visit = (node: Node, at: unknown): void => {
    if (keys.length > 200) return;
    if (Array.isArray(at)) for (const [i, item] of at.entries()) step(i, node.item(i), item);
    if (!isObject(at)) return;
    const closed = says(node, (schema) => "properties" in schema.keywords);
    const open = !closed || says(node, (schema) => "additionalProperties" in schema.keywords);
    for (const key of Object.keys(at)) {
      if (open || declaresProperty(node, key)) step(key, node.key(key), at[key]);
      else
        problems.push({
          kind: "extra-property",
          path: pointer([...keys, key]),
          message: `${nameOf([...keys, key])} is no known argument.`,
        });
    }
  };
  const step = (key: string | number, node: Node, at: unknown): void => {
    keys.push(key);
    visit(node, at);
    keys.pop();
  };
  visit(root, value);
  return problems;
}

/** Strings trimmed, at the top level and in lists there. */
export function trimmed(args: unknown): unknown {
  if (!isObject(args)) return args;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(args)) setOwn(result, key, trim(value, 0));
  return result;
}

function trim(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.trim();
  return Array.isArray(value) && depth < 200 ? value.map((item) => trim(item, depth + 1)) : value;
}
