/** 32-bit floats. */
const F32 = 0;

/** Where a tensor may begin, in bytes. */
const ALIGNMENT = 32;

/** A named array of 32-bit floats. The first dimension is the one whose values are neighbours. */
export interface Tensor {
  name: string;
  shape: readonly number[];
  values: Float32Array;
}

/** Behind the metadata of a GGUF file: where the tensors are, and the tensors. `from`: the length of the metadata. */
export function tensorBytes(tensors: readonly Tensor[], from: number): Uint8Array {
  const infos: Uint8Array[] = [];
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    const bytes = Buffer.from(name);
    infos.push(uint64(bytes.length), bytes, uint32(shape.length), ...shape.map(uint64), uint32(F32), uint64(offset));
    offset += aligned(values.byteLength);
  }
  const header = Buffer.concat(infos);
  const data = tensors.flatMap(({ values }) => [
    new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    padding(values.byteLength),
  ]);
  return Buffer.concat([header, padding(from + header.length), ...data]);
}

function padding(length: number): Uint8Array {
  return new Uint8Array(aligned(length) - length);
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
