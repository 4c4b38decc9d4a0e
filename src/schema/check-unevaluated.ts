import { accepts, type Check, checkChild, type Run } from "./check.ts";
import { dynamicTarget } from "./check-branches.ts";
import { checkAdditional } from "./check-children.ts";
import { declaredSchemas } from "./flatten.ts";
import type { Schema } from "./schema.ts";
import { isObject } from "./value.ts";

/** `unevaluatedProperties` and `unevaluatedItems`: what no schema at the same value has looked at. */
export function unevaluatedChecks(schema: Schema): Check[] {
  const checks: Check[] = [];
  const properties = schema.sub("unevaluatedProperties");
  if (properties) {
    checks.push((value: Record<string, unknown>, run) => {
      if (!isObject(value)) return true;
      const open = new Set<string | number>(Object.keys(value));
      evaluate(schema, value, open, run);
      let valid = true;
      for (const key of open) if (!checkAdditional(properties, value[key], String(key), [], run)) valid = false;
      return valid;
    });
  }
  const items = schema.sub("unevaluatedItems");
  if (items) {
    checks.push((value: unknown, run) => {
      if (!Array.isArray(value)) return true;
      const open = new Set<string | number>(value.keys());
      evaluate(schema, value, open, run);
      let valid = true;
      for (const index of open) if (!checkChild(items, value[index as number], index, run)) valid = false;
      return valid;
    });
  }
  return checks;
}

/** Takes out of `open` what a schema, and those that it applies to the same value, has looked at. */
function evaluate(schema: Schema, value: object, open: Set<string | number>, run: Run): void {
  const seen = new Set<Schema>();
  const visit = (one: Schema | null | undefined): void => {
    if (!one || open.size === 0 || seen.has(one)) return;
    seen.add(one);
    if (Array.isArray(value)) evaluateItems(one, value, open, run, one === schema);
    else evaluateProperties(one, open, one === schema);
    visit(one.target);
    visit(one.dynamic && dynamicTarget(one, one.dynamic, run));
    for (const part of one.list("allOf")) visit(part);
    for (const branch of [...one.list("anyOf"), ...one.list("oneOf")]) {
      if (accepts(branch, value, run, run.relaxed)) visit(branch);
    }
    for (const [key, part] of one.map("dependentSchemas")) if (Object.hasOwn(value, key)) visit(part);
    const condition = one.sub("if");
    if (condition && accepts(condition, value, run, false)) {
      visit(condition);
      visit(one.sub("then"));
    } else if (condition) visit(one.sub("else"));
  };
  visit(schema);
}

function evaluateProperties(schema: Schema, open: Set<string | number>, own: boolean): void {
  const { keywords } = schema;
  const all = "additionalProperties" in keywords || (!own && "unevaluatedProperties" in keywords);
  for (const key of open) if (all || declaredSchemas(schema, String(key)).length > 0) open.delete(key);
}

function evaluateItems(schema: Schema, value: unknown[], open: Set<string | number>, run: Run, own: boolean): void {
  if (schema.rest || (!own && "unevaluatedItems" in schema.keywords)) open.clear();
  for (const index of schema.prefix.keys()) open.delete(index);
  const wanted = schema.sub("contains");
  for (const index of wanted ? [...open] : []) {
    if (wanted && accepts(wanted, value[Number(index)], run, false)) open.delete(index);
  }
}
