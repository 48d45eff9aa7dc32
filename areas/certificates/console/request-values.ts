// The request form's values, and the draft they make: what does not belong to the chosen way is left out.

import type { KeyKindName } from '#areas/templates/rules.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import type { certificates } from '../contract.ts'

export type RequestValues = {
  templateId: string | undefined
  keyFrom: 'csr' | 'server'
  csr: string
  key: KeyKindName | undefined
  username: string
  values: Record<string, string[]>
  friendlyName: string
  contactEmail: string
  comment: string
}

/** A request with a key of one's own is the better way, so the form begins with it. */
export const emptyRequest: RequestValues = {
  templateId: undefined,
  keyFrom: 'csr',
  csr: '',
  key: undefined,
  username: '',
  values: {},
  friendlyName: '',
  contactEmail: '',
  comment: '',
}

/** Without the request there are no names to take from it: that it is missing is said alone, at its own field. */
export const requestFaults = ({ keyFrom, csr }: RequestValues): Record<string, string> =>
  keyFrom === 'csr' && csr.trim() === '' ? { csr: t('Paste or drop the certificate request, or choose its file') } : {}

/** What all three calls for a certificate take; the one for oneself takes `entity` besides. */
export function requestDraft(form: RequestValues): DraftOf<typeof certificates.calls.requestForDevice> {
  const { templateId = '', keyFrom, csr, key, username, values, friendlyName, contactEmail, comment } = form
  return {
    templateId,
    values: Object.fromEntries(Object.entries(values).filter(([, texts]) => texts.some((text) => text.trim() !== ''))),
    friendlyName,
    contactEmail,
    comment,
    ...(username.trim() === '' ? {} : { username }),
    ...(keyFrom === 'csr' ? { csr } : key === undefined ? {} : { key }),
  }
}
