/** mulberry32: numbers from 0 to below 1, the same for the same seed. */
export function generator(seed: number): () => number;
