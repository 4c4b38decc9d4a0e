/** What is measured: arguments of a size, the tool that they are for, and text cut into chunks. */

export const sizes = { "1KB": 1024, "10KB": 10_240, "100KB": 102_400, "1MB": 1_048_576 };

/** Source text as models write it into a file: indentation, quotes, escapes, and characters that open markers. */
const lines = [
  'import { readFile } from "node:fs/promises";',
  "",
  "export interface Station<Unit = number> {",
  "  name: string;",
  "  levels: Map<string, Unit[]>;",
  "}",
  "",
  "export async function readLevels(path: string): Promise<Map<string, number[]>> {",
  "  const levels = new Map<string, number[]>();",
  '  for (const line of (await readFile(path, "utf8")).split("\\n")) {',
  "    const [station, height] = line.split(/\\s*[;,]\\s*/);",
  "    if (station === undefined || Number.isNaN(Number(height))) continue;",
  "    const known = levels.get(station) ?? [];",
  "    if (known.length < 1000 && known[0] !== 0) known.push(Number(height));",
  "    levels.set(station, known);",
  '    console.log(station + ": " + known.length + " levels,\\tthe last at " + height + " m");',
  "  }",
  '  return levels; // sorted by the caller, see "tides.ts"',
  "}",
];

function code(size) {
  let content = "";
  for (let length = 0, number = 0; length < size; number++) {
    const line = `${lines[number % lines.length]}\n`;
    content += line;
    length += JSON.stringify(line).length - 2;
  }
  return { content };
}

const towns = ["Oban", "Ullapool", "Mallaig", "Stromness", "Tobermory"];

function records(size) {
  const orders = [];
  for (let length = 0, number = 0; length < size; number++) {
    const town = towns[number % towns.length];
    const order = {
      customer: { name: `Harbour office ${town}`, city: town, active: number % 3 !== 0 },
      id: 10_000 + number,
      status: number % 2 === 0 ? "open" : "sent",
      items: [
        { sku: `TB-${100 + (number % 900)}`, quantity: 1 + (number % 7), price: 12.5 + number },
        { sku: "ROPE-12", quantity: 40, price: 0.85 },
      ],
    };
    orders.push(order);
    length += JSON.stringify(order).length + 1;
  }
  return { orders };
}

const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const string = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };

const item = object({ sku: string, quantity: integer, price: number });
const order = object({
  customer: object({ name: string, city: string, active: { type: "boolean" } }),
  id: integer,
  status: { type: "string", enum: ["open", "sent"] },
  items: { type: "array", items: item },
});

/** `first`: how the first string among the arguments begins. */
const kinds = {
  code: { build: code, name: "write_file", schema: object({ content: string }), first: "import" },
  records: {
    build: records,
    name: "place_orders",
    schema: object({ orders: { type: "array", items: order } }),
    first: "Harbour",
  },
};

export function payload(kind, size) {
  const { build, name, schema, first } = kinds[kind];
  const args = build(sizes[size]);
  return { name, schema, first, args, json: JSON.stringify(args) };
}

/** Cuts into flat strings of their own: slices of a long text, or ropes, would be flattened while the clock runs. */
export function cut(text, length) {
  const step = length === "whole" ? text.length : length;
  const chunks = [];
  for (let at = 0; at < text.length; at += step) chunks.push(Buffer.from(text.slice(at, at + step)).toString());
  return chunks;
}
