/** The items of several sources, as they come. If one fails, so does the whole, and the others are closed. */
export function merge<T>(sources: readonly AsyncGenerator<T, void, undefined>[]): AsyncGenerator<T, void, undefined> {
  return sources.length === 1 ? (sources[0] as AsyncGenerator<T, void, undefined>) : merged(sources);
}

async function* merged<T>(sources: readonly AsyncGenerator<T, void, undefined>[]): AsyncGenerator<T, void, undefined> {
  const open = new Map(sources.map((source) => [source, asked(source)]));
  try {
    while (open.size > 0) {
      const { source, next } = await Promise.race(open.values());
      if (next.done === true) open.delete(source);
      else {
        open.set(source, asked(source));
        yield next.value;
      }
    }
  } finally {
    for (const [source, waiting] of open) {
      waiting.catch(() => {});
      // not awaited: a source that hangs must not keep anybody waiting
      source.return().catch(() => {});
    }
  }
}

interface Asked<T> {
  source: AsyncGenerator<T, void, undefined>;
  next: IteratorResult<T, void>;
}

async function asked<T>(source: AsyncGenerator<T, void, undefined>): Promise<Asked<T>> {
  return { source, next: await source.next() };
}
