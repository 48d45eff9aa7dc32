// The editor's values are the draft, whole: what the server calls optional is there.

import type { InputOf } from '#core/contract/contract.ts'
import type { templates } from '../contract.ts'
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

export const presetTemplate = ({ says: _says, ...preset }: TemplatePreset, caId: string): TemplateValues => ({ ...emptyTemplate(caId), ...preset })
