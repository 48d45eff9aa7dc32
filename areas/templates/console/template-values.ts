// The editor's values are the draft, whole: what the server calls optional is there.

import type { InputOf } from '#core/contract/contract.ts'
import { furtherExtensions, furtherRules, type templates } from '../contract.ts'
import type { TemplatePreset } from '../presets.ts'
import { defaultExtensions } from '../rules.ts'

export type TemplateValues = InputOf<typeof templates.calls.add>

export const emptyTemplate = (caId: string): TemplateValues => ({
  templateName: '',
  displayName: '',
  caId,
  class: 'DEVICE',
  accessLevel: 'OPERATOR',
  selfServiceEligible: false,
  enabled: true,
  issueApprovers: 1,
  revocationApprovers: 0,
  extensions: defaultExtensions,
  rules: { keys: ['RSA-2048', 'P-256'], allowedDomains: [], wildcards: false, maximumNames: 20 },
})

export const presetTemplate = ({ says: _says, ...preset }: TemplatePreset, caId: string): TemplateValues => ({
  ...emptyTemplate(caId),
  ...preset,
})

const nothingOf = (names: Record<string, unknown>): object => Object.fromEntries(Object.keys(names).map((name) => [name, null]))
const sent = <T extends object>(values: T): T => ({
  ...values,
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null])),
})

/** As it is saved: what a template need not have and the person emptied is taken away, in so many words. */
export const wholeTemplate = (values: TemplateValues) => ({
  ...values,
  priority: values.priority ?? null,
  extensions: { ...nothingOf(furtherExtensions.shape), ...sent(values.extensions) },
  rules: { ...nothingOf(furtherRules.shape), ...sent(values.rules) },
})
