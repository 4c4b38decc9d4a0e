const BEGIN = "<!-- formats: written by npm run readme -->";
const END = "<!-- /formats -->";

const tools = [{ name: "tide_level", parameters: { type: "object", properties: { port: { type: "string" } } } }];
const turn = { calls: [{ name: "tide_level", arguments: { port: "Oban" } }] };

/** One row per format: name, aliases, models, and how it writes a call. */
export function formatsTable({ formatNames, getFormat }) {
  const rows = formatNames().map((name) => {
    const format = getFormat(name);
    const aliases = [...format.variants.keys()].map((alias) => `\`${alias}\``).join(" ");
    const wire = format
      .render(turn, { tools })
      .replace(/\s*\n\s*/g, "")
      .replaceAll("|", "\\|");
    return `| \`${name}\` | ${aliases} | ${format.models.join(", ")} | ${code(wire)} |`;
  });
  return ['| name | aliases | models | a call of `tide_level(port: "Oban")` |', "|---|---|---|---|", ...rows].join(
    "\n",
  );
}

/** Code that may hold backticks. */
function code(text) {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

/** The README with the table in its place. */
export function replaceTable(readme, table) {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from < 0 || to < 0) throw new Error(`README.md has no ${BEGIN} … ${END}.`);
  return `${readme.slice(0, from + BEGIN.length)}\n\n${table}\n\n${readme.slice(to)}`;
}
