/** A value of GGUF metadata: a text, a list, or a number with its type. */
export type GgufValue = string | readonly GgufValue[] | GgufScalar;
type GgufScalar =
  | { uint8: number }
  | { int8: number }
  | { uint16: number }
  | { int16: number }
  | { uint32: number }
  | { int32: number }
  | { float32: number }
  | { bool: boolean }
  | { uint64: bigint }
  | { int64: bigint }
  | { float64: number };

const TYPES = [
  ...["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool"],
  ...["string", "array", "uint64", "int64", "float64"],
];

/** The head of a GGUF file with this metadata, little-endian; behind it tensors would begin. */
export function gguf(metadata: Readonly<Record<string, GgufValue>>, version = 3): Uint8Array {
  const entries = Object.entries(metadata).flatMap(([key, value]) => [
    text(key),
    number("uint32", type(value)),
    body(value),
  ]);
  const count = number("uint64", BigInt(Object.keys(metadata).length));
  return Buffer.concat([Buffer.from("GGUF"), number("uint32", version), number("uint64", 291n), count, ...entries]);
}

function type(value: GgufValue): number {
  if (typeof value === "string") return TYPES.indexOf("string");
  return TYPES.indexOf(Array.isArray(value) ? "array" : (Object.keys(value)[0] as string));
}

function body(value: GgufValue): Uint8Array {
  if (typeof value === "string") return text(value);
  if (!Array.isArray(value)) return number(...(Object.entries(value)[0] as [string, number]));
  const kind = value.length === 0 ? 0 : type(value[0]);
  return Buffer.concat([number("uint32", kind), number("uint64", BigInt(value.length)), ...value.map(body)]);
}

function text(value: string): Uint8Array {
  const bytes = Buffer.from(value);
  return Buffer.concat([number("uint64", BigInt(bytes.length)), bytes]);
}

function number(name: string, value: number | bigint | boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  if (name === "float32") view.setFloat32(0, Number(value), true);
  else if (name === "float64") view.setFloat64(0, Number(value), true);
  else view.setBigInt64(0, BigInt(value), true);
  const bits = name === "bool" ? 8 : Number(/\d+/.exec(name));
  return new Uint8Array(view.buffer, 0, bits / 8);
}
