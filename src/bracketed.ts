import { defineFormat, type Format } from "./format.ts";
import { headerJson, headerWithoutOpener } from "./shapes/header-json.ts";

export interface Bracketed {
  /** Begins a call: `[TOOL_CALLS]`. */
  open: string;
  /** Ends one, if the notation has that. */
  close?: string | undefined;
  /** Stands between the name and the JSON: `[ARGS]`. An empty one matches nothing. */
  separator: string;
  /** A name and the separator make a call even without the opener, at the start of a line or behind a call. */
  openOptional?: boolean | undefined;
}

/**
 * The bracketed shape as data: name, separator, one JSON value.
 *
 * @example
 * ```ts
 * parse("<<ring::{\"times\": 4}>>", { format: bracketed({ open: "<<", close: ">>", separator: "::" }) });
 * ```
 */
export function bracketed({ open, close, separator, openOptional = false }: Bracketed): Format {
  const options = { separators: [separator], needsValue: true };
  return defineFormat({
    name: "bracketed",
    models: [],
    source: "the caller",
    tokens: [open, separator, ...(close ? [close] : [])],
    stops: [],
    opens: separator === "" || open === "" ? {} : { [open]: headerJson(options) },
    ...(close ? { closers: [close] } : {}),
    ...(openOptional && separator !== "" ? { bare: headerWithoutOpener(options) } : {}),
    render: ({ content = "", calls = [] }) =>
      content +
      calls.map((call) => `${open}${call.name}${separator}${JSON.stringify(call.arguments)}${close ?? ""}`).join(""),
  });
}
