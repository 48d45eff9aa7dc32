// Marks a sentence that a person reads wherever it is made: say`Line ${line} is too long`. It is the plain English sentence; the mark is for the list
// of texts, which takes it as the message “Line {line} is too long”, and so for every translation of it (core/contract/sentences.ts).

/** Values are named in the message: `${line}` and `${row.line}` are `{line}`, anything longer is counted, `{0}`. */
export const say = (parts: TemplateStringsArray, ...values: readonly unknown[]): string =>
  parts.slice(1).reduce((text, part, at) => text + String(values[at]) + part, parts[0] ?? '')
