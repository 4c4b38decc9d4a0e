import type { ParserEvent, Problem } from "../../events.ts";

/** An event of a part of a reply, as one of the whole reply. */
export function moved(event: ParserEvent, calls: number, place: (offset: number) => number): ParserEvent {
  const problem = (one: Problem): Problem => (one.offset === undefined ? one : { ...one, offset: place(one.offset) });
  switch (event.type) {
    case "tool-input-start":
    case "tool-input-delta":
      return { ...event, index: calls + event.index };
    case "tool-problem":
      return { ...event, index: calls + event.index, problem: problem(event.problem) };
    case "tool-call": {
      const { call } = event;
      const repairs = call.repairs.map((repair) => ({ ...repair, offset: place(repair.offset) }));
      return { ...event, call: { ...call, ...range(call), index: calls + call.index, repairs } };
    }
    case "tool-call-rejected": {
      const { call } = event;
      const problems = call.problems.map(problem);
      return { ...event, call: { ...call, ...range(call), index: calls + call.index, problems } };
    }
    case "finish": {
      const { used } = event.result;
      return used === undefined ? event : { ...event, result: { ...event.result, used: place(used) } };
    }
    default:
      return event;
  }

  function range({ start, end }: { start: number; end: number }): { start: number; end: number } {
    return { start: place(start), end: place(end) };
  }
}
