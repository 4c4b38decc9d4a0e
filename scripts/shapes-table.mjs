const HEADER = "| shape | what stands there | formats |";

/**
 * The page with the last column of its table of shapes as the formats import them.
 * @param sources the formats' files: the text of each by the format's name
 */
export function replaceUsers(page, sources) {
  const from = page.indexOf(HEADER);
  if (from < 0) throw new Error(`The page has no table ${HEADER}.`);
  const end = page.indexOf("\n\n", from);
  const rows = page.slice(from, end).split("\n");
  const users = usersOf(sources);
  for (const [index, row] of rows.entries()) {
    const [, file, what] = /^\| `([\w-]+)` \| (.*) \| [^|]*\|$/.exec(row) ?? [];
    if (file === undefined) continue;
    rows[index] = `| \`${file}\` | ${what} | ${(users.get(file) ?? []).join(", ") || "–"} |`;
    users.delete(file);
  }
  if (users.size > 0) throw new Error(`The table of shapes has no row for ${[...users.keys()].join(", ")}.`);
  return page.slice(0, from) + rows.join("\n") + page.slice(end);
}

function usersOf(sources) {
  const users = new Map();
  for (const name of Object.keys(sources).sort()) {
    for (const [, file] of sources[name].matchAll(/"\.\.\/src\/shapes\/([\w-]+)\.ts"/g)) {
      const known = users.get(file) ?? [];
      if (!known.includes(name)) users.set(file, [...known, name]);
    }
  }
  return users;
}
