/**
 * Invalid calls, made out of valid ones: one thing is changed in the call, or one keyword is added to its schema, so that
 * exactly that keyword is broken. Deterministic: all choices come from the `random` that is given.
 */

/**
 * How a call is broken, by keyword. Each answers a wrong call, or null where the call has nothing to break:
 * `schema` and `args` of it (and `name`, where that is wrong), and `path`, the keys of the value at fault. `at` is the key
 * of an extra member: there the fault begins with the key.
 */
const breakers = {
  type: (given) => onMember(given, isAny, ({ value }, pick) => ({ value: ofOtherType(value, pick) })),
  "unknown tool": ({ call, schema, pick }) => {
    const name = pick.other.name;
    return name === call.name ? null : { name, schema, args: call.arguments, path: [] };
  },
  enum: (given) =>
    onMember(given, isText, ({ value, declared }, pick) => ({
      declared: { ...declared, enum: declared.enum ?? [value, pick.text(), pick.text()] },
      value: pick.text(),
    })),
  const: (given) =>
    onMember(given, isText, ({ value, declared }, pick) => ({
      declared: { ...declared, const: value },
      value: pick.text(),
    })),
  additionalProperties: ({ call, schema, pick }) => {
    const key = pick.key();
    if (Object.hasOwn(schema.properties ?? {}, key)) return null;
    const members = Object.entries(call.arguments);
    members.splice(pick.below(members.length + 1), 0, [key, pick.value()]);
    return { schema: { ...schema, additionalProperties: false }, args: Object.fromEntries(members), path: [], at: key };
  },
  required: ({ call, schema, pick }) => {
    const key = pick.from(schema.required ?? []);
    if (!Object.hasOwn(call.arguments, key ?? "")) return null;
    const { [key]: _, ...args } = call.arguments;
    return { schema, args, path: [] };
  },
  maxLength: (given) =>
    onMember(given, isText, ({ value, declared }, pick) => ({
      declared: { ...declared, maxLength: value.length },
      value: `${value}, ${pick.text()} and ${pick.text()}`,
    })),
  minLength: (given) => addKeyword(given, isText, (value) => ({ minLength: value.length + 5 })),
  pattern: (given) => addKeyword(given, isText, () => ({ pattern: "^[A-Z]{2}-[0-9]{4}$" })),
  maximum: (given) => addKeyword(given, isNumber, (value) => ({ maximum: value - 1 })),
  minimum: (given) => addKeyword(given, isNumber, (value) => ({ minimum: value + 1 })),
  exclusiveMinimum: (given) => addKeyword(given, isNumber, (value) => ({ exclusiveMinimum: value })),
  multipleOf: (given) => addKeyword(given, isNumber, (value) => ({ multipleOf: Math.abs(value) + 3 })),
  maxItems: (given) =>
    onMember(given, isList, ({ value, declared }) => ({
      declared: { ...declared, maxItems: value.length },
      value: [...value, ...value, ...value],
      below: [value.length],
    })),
  minItems: (given) => addKeyword(given, isList, (value) => ({ minItems: value.length + 2 })),
  uniqueItems: (given) =>
    onMember(given, isList, ({ value, declared }, pick) => ({
      declared: { ...declared, uniqueItems: true },
      value: [...value, pick.from(value)],
      below: [value.length],
    })),
  contains: (given) => addKeyword(given, isList, () => ({ contains: { const: "none of them" } })),
  items: (given) =>
    onMember(given, isList, ({ value }, pick) => {
      const at = pick.below(value.length);
      return { value: value.with(at, ofOtherType(value[at], pick)), below: [at] };
    }),
  properties: (given) =>
    onMember(given, isAny, ({ key, value, declared }, pick) => ({
      declared: { type: "object", properties: { unit: { type: "string" }, [key]: declared }, required: [key] },
      value: { unit: pick.text(), [key]: ofOtherType(value, pick) },
      below: [key],
    })),
  anyOf: (given) =>
    onMember(given, isAny, ({ value, declared }, pick) => ({
      declared: { anyOf: [declared, { type: "null" }] },
      value: ofOtherType(value, pick),
    })),
  oneOf: (given) =>
    onMember(given, isAny, ({ value, declared }, pick) => ({
      declared: { oneOf: [tagged("given", { value: declared }), tagged("reference", { id: { type: "integer" } })] },
      value: { kind: pick.text(), value },
      below: ["kind"],
    })),
  propertyNames: (given) =>
    onMember(given, isAny, ({ value, declared }, pick) => ({
      declared: { type: "object", propertyNames: { pattern: "^[a-z_]+$" }, additionalProperties: declared },
      value: { first: value, [`${pick.key()} 2`]: value, last: value },
      at: 1,
    })),
  maxProperties: (given) =>
    onMember(given, isAny, ({ value, declared }) => ({
      declared: { type: "object", maxProperties: 2, additionalProperties: declared },
      value: { first: value, second: value, third: value, last: value },
      at: 2,
    })),
  dependentRequired: (given) =>
    addKeyword(
      given,
      isAny,
      () => ({}),
      ({ key }) => ({ dependentRequired: { [key]: ["and_that"] } }),
    ),
  not: (given) => addKeyword(given, isText, (value) => ({ not: { const: value } })),
};

/** The kinds of faults. */
export const keywords = Object.keys(breakers);

const isAny = () => true;
const isText = (value) => typeof value === "string" && value.length > 1;
const isNumber = (value) => Number.isInteger(value);
const isList = (value) => Array.isArray(value) && value.length > 1 && value.every((item) => typeof item !== "object");

const tagged = (kind, properties) => ({
  type: "object",
  properties: { kind: { const: kind }, ...properties },
  required: ["kind"],
});

/** What a model writes in place of a value: words for a number, a list or an object for a text. */
function ofOtherType(value, pick) {
  if (typeof value === "string") return pick.from([[value], { text: value }]);
  return pick.text();
}

/** Changes one of the members that are of a kind, and what is declared for it. */
function onMember({ call, schema, pick }, isOfKind, change) {
  const declaredKeys = Object.keys(call.arguments).filter((key) => Object.hasOwn(schema.properties ?? {}, key));
  const key = pick.from(declaredKeys.filter((key) => isOfKind(call.arguments[key])));
  if (key === undefined) return null;
  const value = call.arguments[key];
  const declared = schema.properties[key];
  const changed = { value, declared, ...change({ key, value, declared }, pick) };
  return {
    schema: { ...schema, properties: { ...schema.properties, [key]: changed.declared }, ...changed.root },
    args: { ...call.arguments, [key]: changed.value },
    path: [key, ...(changed.below ?? [])],
    at: changed.at === undefined ? undefined : Object.keys(changed.value)[changed.at],
  };
}

/** Leaves the value as it is: a keyword that it breaks is added to its schema, or to the root. */
function addKeyword(given, isOfKind, keyword, root = () => ({})) {
  return onMember(given, isOfKind, (member) => ({
    declared: { ...member.declared, ...keyword(member.value) },
    root: root(member),
  }));
}

/**
 * Wrong calls of one kind, without end, from valid calls with their schemas: `[{ name, arguments, schema }]`.
 * @yields the declared tool, the call, and where its fault is: `{ tool, call, path, at }`
 */
export function* wrongCalls(keyword, valid, random) {
  const pick = picker(valid, random);
  for (;;) {
    const { schema, ...call } = pick.from(valid);
    const wrong = breakers[keyword]({ call, schema, pick });
    if (wrong === null) continue;
    const { name = call.name, path, at } = wrong;
    const tool = { name: call.name, parameters: wrong.schema };
    yield { tool, call: { name, arguments: wrong.args }, path, at };
  }
}

/** The same call with something else in the place of its fault: up to there the two have the same text. */
export function withoutFault({ tool, call, path, at }) {
  if (call.name !== tool.name) return { ...call, name: differing(call.name) };
  // where a member is missing the fault is with the arguments' first member
  const key = at ?? (path.length === 0 ? Object.keys(call.arguments)[0] : undefined);
  return { ...call, arguments: changedAt(call.arguments, path, (value) => contrast(value, key)) };
}

function changedAt(value, [key, ...rest], change) {
  if (key === undefined) return change(value);
  const changed = changedAt(value[key], rest, change);
  return Array.isArray(value) ? value.with(key, changed) : { ...value, [key]: changed };
}

function contrast(value, key) {
  if (key !== undefined) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name === key ? differing(name) : name, one]));
  }
  return typeof value === "string" ? (value.startsWith("7") ? 8 : 7) : "~";
}

function differing(name) {
  return (name.startsWith("x") ? "y" : "x") + name.slice(1);
}

/** Random choices, and names and values that occur in other calls. */
function picker(valid, random) {
  const below = (count) => Math.floor(random() * count);
  const from = (list) => list[below(list.length)];
  const texts = valid.flatMap((call) => Object.values(call.arguments).filter(isText));
  return {
    below,
    from,
    get other() {
      return from(valid);
    },
    text: () => from(texts),
    key: () => from(Object.keys(from(valid).arguments)) ?? "note",
    value: () => from(Object.values(from(valid).arguments)) ?? "",
  };
}
