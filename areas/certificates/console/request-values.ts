// The request form's values, and the draft they make: what does not belong to the chosen way is left out.

import { isHolderKey } from '#areas/keys/rules.ts'
import type { templates } from '#areas/templates/contract.ts'
import { dnsFault } from '#areas/templates/names.ts'
import type { Entity, KeyKindName } from '#areas/templates/rules.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
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

const emptyRequest: RequestValues = {
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

type Offer = Pick<OutputOf<typeof templates.calls.offered>['templates'][number], 'templateId' | 'keys'>

/** Whether a key can be made here. */
export const makesKeys = ({ keys }: Pick<Offer, 'keys'>): boolean => keys.some(isHolderKey)

/** People begin with a key that is made for them, for few have heard of a CSR; machines have a key of their own, which is the better way. */
export const newRequest = (entity: Entity, template: Offer | undefined): RequestValues => ({
  ...emptyRequest,
  templateId: template?.templateId,
  keyFrom: entity === 'user' && template !== undefined && makesKeys(template) ? 'server' : 'csr',
})

/** The machines that a request names, as `decoded` says by source. */
export function hostsOf(decoded: Record<string, readonly string[]>): readonly string[] {
  const named = [...(decoded['DNS'] ?? []), ...(decoded['IP'] ?? [])]
  return named.length > 0 ? named : hostNames(decoded)
}

/** Common names that are DNS names. A name of one word is as well a person's. */
export const hostNames = (decoded: Record<string, readonly string[]>): readonly string[] =>
  (decoded['CommonName'] ?? []).filter((name) => name.includes('.') && dnsFault(name, { wildcard: true }) === undefined)

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
