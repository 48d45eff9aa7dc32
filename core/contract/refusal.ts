// A reason not to do what was asked, in one shape wherever it is found. The code is for decisions, the sentence for people; a list of refusals holds
// the sentences of its codes, so that both sides and every room say the same.

import type { FieldFault } from './faults.ts'

/** Gives the sentence of one code. `{name}` stands for a parameter; `field` is the one to blame where the caller names no other. */
export type RefusalText = { field: string; says: string; severity: 'error' | 'fatal' }

export type RefusalParams = Record<string, string | number>

/** Tells why something is refused. `fatal` where it could not be read. `params` are what `says` was filled with. */
export type Refusal = FieldFault & { code: string; severity: 'error' | 'fatal'; params?: RefusalParams }

type NamesIn<Says extends string> = Says extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** Lists what the sentence of a code must be filled with. */
export type ParamsOfText<Says extends string> = [NamesIn<Says>] extends [never] ? undefined : Record<NamesIn<Says>, string | number>

/** Makes refusals out of a list: `refusal('templateClosed', { template })`. `field` overrides the one of the list. */
export const refusalsOf =
  <List extends Record<string, RefusalText>>(list: List) =>
  <Code extends keyof List & string>(code: Code, params: ParamsOfText<List[Code]['says']>, field?: string): Refusal => {
    const text = list[code] as List[Code]
    const { says, severity } = text
    return params === undefined
      ? { code, field: field ?? text.field, severity, says }
      : { code, field: field ?? text.field, severity, says: fillText(says, params), params }
  }

const fillText = (says: string, params: RefusalParams): string =>
  says.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
