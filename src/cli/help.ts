export const HELP = `Usage: tool-call-parser [parse] [FILE] [options]
       tool-call-parser render [FILE] --format NAME [--tools FILE]
       tool-call-parser formats [NAME] [--json]
       tool-call-parser detect [FILE] [--model NAME] [--output] [--json]
       tool-call-parser validate [FILE] --schema FILE [--profile NAME] [--json]
       tool-call-parser serve [--upstream URL] [options]

Reads what a language model wrote and shows its text, its reasoning and its tool calls as they come. Without FILE, or
with -, it reads standard input as it arrives.

parse (the default)
  --format NAME        The model's format: a name of "tool-call-parser formats", auto (default), or a module that
                       exports a format: ./my-format.mjs
  --tools FILE         The tools that were offered, as JSON: a list, or an object that has them under "tools"
  --prefill TEXT       The end of the prompt, as far as the output goes on from it: '<think>'
  --validation NAME    coerce (default), strict, lenient, kernel or none
  --no-repair          The format's own grammar and nothing else
  --cut-off            The output did not come to its natural end (token limit, dropped connection)
  --json               One JSON result instead of the account
  --events             The events, one JSON object a line, as they happen
  --ndjson             Many outputs: one record a line in, one JSON result a line out. A record is a JSON string, or
                       { "output": …, "tools", "format", "prefill", "finished", "id" }, all but the output optional

render                 Writes an assistant turn, { "reasoning", "content", "calls": [{ "name", "arguments" }] }, as a
                       model of the format would
formats                Lists the formats, or shows one
detect                 Names the format of a model: by its chat template (the Jinja text, tokenizer_config.json,
                       chat_template.json or a GGUF file), or else by its name
  --model NAME         The model's name: 'Qwen/Qwen3-0.6B'. Without FILE it alone is asked
  --output             FILE is what the model wrote
validate               Holds arguments, as JSON, against a JSON Schema
  --schema FILE        The schema; for the profile kernel { "name", "args": [{ "name", "type", "required" }] }
  --profile NAME       coerce (default), strict, lenient or kernel
serve                  An OpenAI-compatible server in front of a llama.cpp server, whose raw output it reads
  --upstream URL       Where that listens: http://127.0.0.1:8080 (default)
  --host, --port       Where to listen: 127.0.0.1 (default; 0.0.0.0 for all interfaces), 8081 (default)
  --mode NAME          raw (default), or repair: any OpenAI-compatible server, whose replies are put right
  --format, --validation, --no-repair   As for parse; without --format the upstream's chat template tells it
  --retry N            Asks the model up to N times again when a call is rejected (default 0)
  --rejected NAME      What the client gets of a rejected call: send (default; arguments that cannot be read), text, drop
  --timeout SECONDS    The longest silence of the upstream (default 600)
  --keep-alive SECONDS A stream gets a comment after so long without a chunk (default 15)
  --max-body BYTES, --max-header BYTES   The longest request (default 33554432 and 16384)
  --drain SECONDS      After SIGTERM, how long requests may go on (default 30)

  -h, --help           Shows this
  --version            Shows the version

Exit code: 0 nothing was rejected, 1 something was rejected (detect: no format found), 2 wrong use.
Colours are for terminals; NO_COLOR=1 turns them off.
`;
