/** Times of two tasks in turn, so that a noisy machine disturbs both alike. */

/** Milliseconds: long enough to pay for the garbage that a task leaves. */
const BATCH = 20;

/** Results go here, so that no work can be dropped as unused. */
export let kept;

/** Milliseconds of CPU that this process has used, its collector's threads included; others on the machine do not count. */
export function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds per repetition. */
function batch(task, repeats) {
  const start = cpu();
  for (let i = 0; i < repeats; i++) kept = task();
  return (cpu() - start) / repeats;
}

/** Runs a task until it is compiled; answers how often it has to run to fill a batch. */
function warm(task, milliseconds) {
  let repeats = 1;
  let each = 0;
  for (const start = cpu(); cpu() - start < milliseconds; ) {
    each = batch(task, repeats);
    repeats = Math.min(repeats * 2, enough(each));
  }
  return enough(each);
}

function enough(each) {
  return Math.max(1, Math.ceil(BATCH / Math.max(each, 1e-4)));
}

export function median(values, at = 0.5) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(at * (sorted.length - 1))];
}

/** Medians over batches, in nanoseconds per repetition; median and quartiles of the ratio between neighbouring batches. */
export function compare(floor, run, milliseconds) {
  const sides = [
    { task: floor, repeats: warm(floor, milliseconds / 5), times: [] },
    { task: run, repeats: warm(run, milliseconds), times: [] },
  ];
  const start = cpu();
  while (sides[1].times.length < 7 || cpu() - start < milliseconds) {
    for (const side of sides) side.times.push(batch(side.task, side.repeats));
  }
  const ratios = sides[1].times.map((time, i) => time / sides[0].times[i]);
  return {
    floor: median(sides[0].times) * 1e6,
    run: median(sides[1].times) * 1e6,
    ratio: median(ratios),
    quartiles: [median(ratios, 0.25), median(ratios, 0.75)],
    batches: ratios.length,
  };
}
