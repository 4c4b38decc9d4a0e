import type { Steps } from "../reply/steps.ts";

interface CallLike {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown } | null;
}

/** A call of the server: where it stands among all calls, and the id under which the client knows it. */
interface Place {
  position: number;
  wireId: string;
  id: string;
}

/** The calls that the server has read itself: they stay as they are, but for their place among ours. */
export class ServerCalls {
  count = 0;
  private readonly steps: Steps;
  private readonly places = new Map<number, Place>();
  private last: Place | null = null;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  placed(calls: readonly unknown[]): unknown[] {
    return calls.map((call) => {
      if (typeof call !== "object" || call === null) return call;
      const place = this.placeOf(call as CallLike);
      const { id } = call as CallLike;
      return { ...call, index: place.position, ...(typeof id === "string" && id !== "" ? { id: place.id } : {}) };
    });
  }

  /** Some servers leave the index out, some give every call the index 0: then a new id with a name begins a call. */
  private placeOf({ index, id, function: called }: CallLike): Place {
    const key = typeof index === "number" ? index : -1;
    const known = key === -1 ? this.last : this.places.get(key);
    const wireId = typeof id === "string" ? id : "";
    const begins = wireId !== "" && typeof called?.name === "string" && called.name !== "";
    if (known !== null && known !== undefined && !(begins && wireId !== known.wireId)) return known;
    const place = { ...this.steps.reserve(wireId), wireId };
    this.count++;
    this.places.set(key, place);
    this.last = place;
    return place;
  }
}
